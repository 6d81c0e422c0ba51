import { expect, test } from 'vitest';
import type { CaseResult } from '../../model/case-result.ts';
import { foldRun } from '../../model/run.ts';
import { footer, header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import { Memory } from './memory.ts';

const calling = (status: CaseResult['status'], calls: string[], blamed?: string): CaseResult => ({
  ...result(status),
  callMs: Object.fromEntries(calls.map((call) => [call, 1])),
  findings: blamed === undefined ? [] : [{ type: 'pjrt.X', level: 'must', message: 'x', call: blamed }],
});
const runOf = (results: readonly CaseResult[]) =>
  foldRun([
    header(),
    ...suiteEvents(
      'a',
      results.map((one, i) => ({ name: `c${i}`, result: one })),
    ),
    footer(),
  ]);

test('what failed drops out when it passes, and what calls the same function is related to it', () => {
  const memory = new Memory();
  memory.learn(
    runOf([
      calling('fail', ['PJRT_A', 'PJRT_B'], 'PJRT_B'),
      calling('pass', ['PJRT_B']),
      calling('pass', ['PJRT_A', 'PJRT_C']),
    ]),
    {},
  );
  const [first, second] = [...memory.failed, ...memory.related()];
  expect([memory.failed.size, memory.related().size]).toEqual([1, 1]);
  expect(first).not.toBe(second);

  // Nobody knows more of what was not run.
  memory.learn(runOf([calling('skip', []), calling('pass', ['PJRT_B']), calling('pass', [])]), {});
  expect([...memory.failed]).toEqual([first]);
  memory.learn(runOf([calling('pass', ['PJRT_A', 'PJRT_B'])]), {});
  expect([memory.failed.size, memory.related().size]).toEqual([0, 0]);
});
