import { expect, test } from 'vitest';
import { sampleCase } from '../suite/sample-case.test-helper.ts';
import type { Case } from '../suite/types.ts';
import { JobQueue } from './job-queue.ts';

const sharing = (id: string, program?: string): Case =>
  sampleCase(`s:${id}`, { programs: 'shared' }, program === undefined ? [] : [{ verb: 'compile', as: 'f', program }]);

const queueOf = (...cases: Case[]) => new JobQueue(cases, new AbortController().signal, () => false);
const next = async (queue: JobQueue, lane: number) => (await queue.next(lane))?.case.name;

test('one lane takes cases in order', async () => {
  const queue = queueOf(sharing('a', 'p'), sharing('b', 'q'), sharing('c'), sharing('d', 'p'));
  expect([await next(queue, 0), await next(queue, 0), await next(queue, 0), await next(queue, 0)]).toEqual([
    'a',
    'b',
    'c',
    'd',
  ]);
});

test('a lane leaves a case to the lane that has compiled its program, as long as there are others', async () => {
  const queue = queueOf(sharing('a', 'p'), sharing('b', 'p'), sharing('c', 'q'), sharing('d', 'p'), sharing('e', 'q'));
  expect(await next(queue, 0)).toBe('a');
  expect(await next(queue, 1)).toBe('c');
  expect(await next(queue, 1)).toBe('e');
  // Nothing else is left, and waiting would not be faster.
  expect(await next(queue, 1)).toBe('b');
  expect(await next(queue, 0)).toBe('d');
});

test('other cases do not overtake one that must run alone', async () => {
  const queue = queueOf(sharing('a', 'p'), sharing('b', 'q'));
  const first = (await queue.next(0))!;
  first.exclusive = true;
  queue.requeue(first);
  queue.release(first);
  expect(await next(queue, 1)).toBe('a');
});

test('a part begins when the one before has been taken, whatever process its cases need', async () => {
  const isolated = { ...sharing('c'), isolation: 'process' as const };
  const parts: Record<string, number> = { 's:a': 1, 's:b': 0, 's:c': 0, 's:d': 1 };
  const queue = new JobQueue(
    [sharing('a'), sharing('b'), isolated, sharing('d')],
    new AbortController().signal,
    ({ isolation }) => isolation === 'process',
    (id) => parts[id]!,
  );
  expect([await next(queue, 0), await next(queue, 0), await next(queue, 0), await next(queue, 0)]).toEqual([
    'b',
    'c',
    'a',
    'd',
  ]);
});
