import { collectGarbage, heapInUse } from '../../ffi/memory-use.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { number, optional, probe, type Values } from '../probe.ts';
import { provokeAnyError } from './provoke-error.ts';

/** Smallest leak that counts: no allocator returns smaller pieces. */
const LEAST_BYTES = 16;
/** Growth of a batch that may as well be a cache filling up. */
const LEAST_GROWTH = 24 * 1024;
/** Resident memory is counted in pages and by everybody in the process, so only a larger leak can be seen in it. */
const LEAST_RESIDENT_BYTES = 1024;

/** Batches that are compared with the one before. */
const BATCHES = 3;

const CYCLE = { rounds: optional(number, 1000) };

/**
 * Makes and destroys objects that need no client over and over, in batches. If every batch after the first leaves more
 * memory in use than the one before, by at least so much an object, memory is lost.
 * @param objects what they are called
 * @param make makes an object, and destroys it
 */
const cycleOf =
  (objects: string, make: (context: CaseContext) => void) =>
  (context: CaseContext, { rounds }: Values<typeof CYCLE>): void => {
    try {
      make(context);
    } catch (error) {
      if (!(error instanceof PjrtError) || error.codeName !== 'UNIMPLEMENTED') throw error;
      throw new NotSupported(`there are no ${objects}: ${error.call} returns UNIMPLEMENTED`);
    }
    const batch = (): { heap: number | undefined; resident: number } => {
      for (let i = 0; i < rounds; i++) make(context);
      collectGarbage();
      return { heap: heapInUse(), resident: process.memoryUsage.rss() };
    };
    batch();
    const levels = Array.from({ length: BATCHES + 1 }, batch);
    const heap = growth(levels.map((l) => l.heap ?? 0));
    const resident = growth(levels.map((l) => l.resident));
    const lost = heap.every((n) => n >= Math.max(LEAST_BYTES * rounds, LEAST_GROWTH));
    const lostPages = resident.every((n) => n >= Math.max(LEAST_RESIDENT_BYTES * rounds, 1 << 20));
    if (!lost && !lostPages) return;
    context.report({
      type: 'pjrt.ResourceLeak',
      level: 'should',
      message: `creating and destroying ${objects} over and over uses up memory`,
      detail:
        `growth in ${BATCHES} batches of ${rounds} ${objects}\n` +
        `allocated: ${heap.join(', ')} bytes\nresident: ${resident.join(', ')} bytes`,
    });
  };

const growth = (levels: readonly number[]): number[] => levels.slice(1).map((n, i) => n - levels[i]!);

/** Errors that are provoked and destroyed repeatedly do not leak memory. */
export const cycleOfErrors = probe(
  'cycle-of-errors',
  CYCLE,
  cycleOf('errors', (context) => provokeAnyError(context).destroy()),
);

/** Execute contexts that are created and destroyed repeatedly do not leak memory. */
export const cycleOfExecuteContexts = probe(
  'cycle-of-execute-contexts',
  CYCLE,
  cycleOf('contexts', ({ api }) => {
    const pointer = api.invoke(
      'PJRT_ExecuteContext_Create',
      () => {},
      (call) => call.word('context'),
    );
    api.invoke('PJRT_ExecuteContext_Destroy', (call) => call.setWord('context', pointer));
  }),
);
