import { canReadProcessState, readProcessState } from '../../ffi/process-state.ts';
import { Client } from '../../pjrt/client.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { number, optional, probe } from '../probe.ts';
import { nap } from '../support/nap.ts';

/** A thread that has ended, and was waited for, may still be listed for a moment. */
const GRACE_MS = 1000;
const LOOK_MS = 20;

/** Clients that are made and destroyed one after the other leave no descriptors, threads or children behind. */
export const clientLeftovers = probe('client-leftovers', { cycles: optional(number, 4) }, (context, { cycles }) => {
  if (!canReadProcessState) throw new NotSupported('this system does not show the state of a process');
  const counts: Counts[] = [];
  for (let i = 0; i < cycles; i++) {
    Client.create(context.api, context.arena, context.subjects[0]!.setup.options).destroy();
    counts.push(leastSince(counts.at(-1)));
  }
  for (const kind of KINDS) {
    // The first client may set up what all others share; from the second on, each must clear up after itself.
    const series = counts.slice(1).map((c) => c[kind]);
    if (series.length > 1 && series.every((n, i) => i === 0 || n > series[i - 1]!)) {
      context.report({
        type: 'pjrt.ResourceLeak',
        level: 'should',
        message: `every client leaves ${kind} behind when it is destroyed`,
        detail: `${kind} after each of ${cycles} clients: ${counts.map((c) => c[kind]).join(', ')}`,
        call: 'PJRT_Client_Destroy',
        requirements: [kind === 'descriptors' ? 'HYG-FD-002' : kind === 'threads' ? 'HYG-THR-001' : 'HYG-CHD-001'],
      });
    }
  }
});

interface Counts {
  descriptors: number;
  threads: number;
  children: number;
}

/** What the process has, as soon as that is not more than it was. */
function leastSince(before: Counts | undefined): Counts {
  for (const end = performance.now() + GRACE_MS; ; nap(LOOK_MS)) {
    const { descriptors, threads, children } = readProcessState();
    const now = { descriptors: descriptors.size, threads: threads.length, children: children.length };
    const isMore = before && KINDS.some((kind) => now[kind] > before[kind]);
    if (!isMore || performance.now() >= end) return now;
  }
}

const KINDS = ['descriptors', 'threads', 'children'] as const;
