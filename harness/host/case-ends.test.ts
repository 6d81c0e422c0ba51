import { expect, test } from 'vitest';
import type { CaseResult } from '../model/case-result.ts';
import type { Event } from '../model/events.ts';
import type { Case } from '../suite/types.ts';
import { CaseEnds } from './case-ends.ts';
import { type Job, JobQueue } from './job-queue.ts';
import { Quarantine } from './quarantine.ts';
import { RunNotes } from './run-notes.ts';
import type { RunContext } from './run-plan.ts';
import type { Death } from './worker-process.ts';

const GIB = 2 ** 30;
const passed: CaseResult = { status: 'pass', findings: [], durationMs: 1, nativeMs: 1, calls: 1 };

/** The ends of one case, and what they emit. */
function ends() {
  const events: Event[] = [];
  const one = { id: 'a:b', isolation: 'worker', client: 'shared', requires: {}, steps: [], line: 3 } as unknown as Case;
  const plan = {
    cases: [one],
    plugins: [],
    signal: new AbortController().signal,
    annotate: (_: string, result: CaseResult) => result,
  };
  const context = { plan, emit: (event: Event) => events.push(event), at: () => 0 } as unknown as RunContext;
  const queue = new JobQueue([one], plan.signal, () => false);
  const quarantine = new Quarantine(context.plan);
  return { events, queue, ends: new CaseEnds(context, queue, new RunNotes(context), quarantine) };
}

test('a case whose worker was killed for want of memory, and that passes alone, has a warning', async () => {
  const { events, queue, ends: ended } = ends();
  const death = { signal: 'SIGKILL', memory: { heldBytes: GIB, limitBytes: 2 * GIB } } as Death;
  ended.judge((await queue.next(0)) as Job, 1, death, passed);
  queue.release({} as Job);
  const again = (await queue.next(0)) as Job;
  expect(again).toMatchObject({ exclusive: true, loss: death.memory });
  ended.finish(again, 2, passed);
  expect(events).toMatchObject([
    { type: 'note', message: 'a worker was killed for want of memory while it ran a:b; the case is repeated alone' },
    { type: 'case', result: { status: 'warn', findings: [{ type: 'pjrt.OutOfMemory', requirements: ['RES-003'] }] } },
  ]);
});
