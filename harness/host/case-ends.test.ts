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
    workers: 2,
    signal: new AbortController().signal,
    annotate: (_: string, result: CaseResult) => result,
  };
  const context = { plan, emit: (event: Event) => events.push(event), at: () => 0 } as unknown as RunContext;
  const queue = new JobQueue([one], plan.signal, () => false);
  const quarantine = new Quarantine(context.plan);
  return { events, queue, ends: new CaseEnds(context, queue, new RunNotes(context), quarantine) };
}

test('a case whose worker was killed for want of memory, and that passes alone, says so', async () => {
  const { events, queue, ends: ended } = ends();
  const death = { signal: 'SIGKILL', memory: { heldBytes: GIB, limitBytes: 2 * GIB } } as Death;
  ended.judge((await queue.next(0)) as Job, 1, death, passed);
  queue.release({} as Job);
  const again = (await queue.next(0)) as Job;
  expect(again).toMatchObject({ exclusive: true, loss: death.memory });
  ended.finish(again, 2, passed);
  expect(events).toMatchObject([
    { type: 'note', message: 'a worker was killed for want of memory while it ran a:b; the case is repeated alone' },
    { type: 'case', result: { status: 'pass', findings: [{ type: 'pjrt.OutOfMemory', level: 'info' }] } },
  ]);
});

const full: CaseResult = {
  ...passed,
  status: 'fail',
  findings: [{ type: 'pjrt.Failed', level: 'must', message: 'no', code: 'RESOURCE_EXHAUSTED', requirements: [] }],
};

test('a case that ran out of memory beside other workers is repeated alone, and then has the device to itself', async () => {
  const { events, queue, ends: ended } = ends();
  ended.finish((await queue.next(0)) as Job, 1, full);
  queue.release({} as Job);
  expect(events).toEqual([]);
  const again = (await queue.next(0)) as Job;
  expect(again).toMatchObject({ exclusive: true, crowded: full });
  ended.finish(again, 2, passed);
  expect(ended.crowded).toBe(true);
  expect(events).toMatchObject([
    { type: 'note', message: expect.stringContaining('a:b ran out of memory beside other workers, and not alone') },
    { type: 'case', result: { status: 'pass', findings: [] } },
  ]);
});

test('a case that runs out of memory alone too has failed, and the run keeps its workers', async () => {
  const { events, queue, ends: ended } = ends();
  ended.finish((await queue.next(0)) as Job, 1, full);
  queue.release({} as Job);
  ended.finish((await queue.next(0)) as Job, 2, full);
  expect(ended.crowded).toBe(false);
  expect(events).toMatchObject([{ type: 'case', result: { status: 'fail' } }]);
});

test('a crash whose output says that memory ran out is repeated alone as well; what passes and mentions it is not', async () => {
  const { events, queue, ends: ended } = ends();
  const stderr = { head: 'Check failed: stream is OK (CUDA_ERROR_OUT_OF_MEMORY)', tail: '', omittedBytes: 0 };
  const job = (await queue.next(0)) as Job;
  ended.finish(job, 1, { ...passed, status: 'crash', stderr });
  queue.release({} as Job);
  expect(await queue.next(0)).toMatchObject({ exclusive: true });
  ended.finish(job, 1, { ...passed, stderr });
  expect(events).toMatchObject([{ type: 'case', result: { status: 'pass' } }]);
});
