import { expect, test } from 'vitest';
import type { Status } from '../../harness/model/status.ts';
import { type FailingCase, grouped, newlyFailing, newNotes, type Outcome } from './outcome.ts';

const violated = (id: string, status: Status, message = 'wrong', call?: string): FailingCase => ({
  id,
  status,
  findings: [{ type: 'pjrt.WrongValue', message, level: 'must', ...(call === undefined ? {} : { call }) }],
});

const outcome = (...cases: FailingCase[]): Outcome => ({ cases: 9, counts: {}, violated: cases, notes: [] });

test('a failure that the plain base also has does not count against a design, unless it kills the process there', () => {
  const plain = outcome(violated('a', 'fail'), violated('b', 'fail'), violated('c', 'crash'));
  const design = outcome(
    violated('a', 'fail'),
    violated('b', 'crash'),
    violated('c', 'timeout'),
    violated('d', 'fail'),
  );
  expect(newlyFailing(design, plain).map(({ id }) => id)).toEqual(['b', 'd']);
});

test('a note counts against a design if the plain base has none of its kind, whatever it says', () => {
  const plain: Outcome = { ...outcome(), notes: [{ kind: 'exit', message: 'worker 1 died' }] };
  const idle = { kind: 'idle' as const, message: 'worker 1 died' };
  const design: Outcome = { ...outcome(), notes: [{ kind: 'exit', message: 'worker 3 died' }, idle] };
  expect(newNotes(design, plain)).toEqual([idle]);
});

test('cases are grouped by what counts against the plugin, the most frequent first', () => {
  const groups = grouped([
    violated('a', 'fail', 'no event', 'PJRT_Event_Create'),
    violated('b', 'fail', '3 of 8 elements differ'),
    violated('c', 'fail', '5 of 16 elements differ'),
  ]);
  expect(groups.map(({ message, cases }) => [message, cases])).toEqual([
    ['3 of 8 elements differ', ['b', 'c']],
    ['no event', ['a']],
  ]);
});
