import { expect, test } from 'vitest';
import type { CaseResult } from '../model/case-result.ts';
import type { Event } from '../model/events.ts';
import type { CaseExpectation, ExpectationEntry } from '../model/expectation.ts';
import { foldRun } from '../model/run.ts';
import { footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import type { Status } from '../model/status.ts';
import type { Weighing } from './breach.ts';
import { expectationCounts, staleText } from './expectations.ts';
import { failsRun, standingOf } from './standing.ts';
import { verdict } from './verdict.ts';

const must = { level: 'must' } as const;
const knownDeviation = { reason: 'documented', evidence: 'plugins/known/example.yaml:3' };

const expecting = (outcome: CaseExpectation['outcome'], expected: Status[] = ['fail']): CaseExpectation => ({
  file: 'expectations.yaml',
  line: 7,
  expect: expected,
  reason: 'the driver is old',
  outcome,
});

const resultWith = (status: Status, outcome?: CaseExpectation['outcome'], more: Partial<CaseResult> = {}): CaseResult =>
  result(status, { ...(outcome ? { expectation: expecting(outcome) } : {}), ...more });

test.each<[string, CaseResult, Weighing, boolean]>([
  ['a failure', resultWith('fail'), {}, true],
  ['an expected failure', resultWith('fail', 'met'), {}, false],
  ['an expected crash', resultWith('crash', 'met'), {}, false],
  ['an expected timeout, strict', resultWith('timeout', 'met'), { strict: true }, false],
  ['a crash where a failure is expected', resultWith('crash', 'different'), {}, true],
  ['an expected failure whose day is over', resultWith('fail', 'expired'), {}, true],
  ['an expected warning', resultWith('warn', 'met'), { strict: true }, false],
  ['a warning of another kind than expected', resultWith('warn', 'different'), { strict: true }, true],
  ['an unexpected pass', resultWith('pass', 'unexpected-pass'), {}, false],
  ['an unexpected pass that must not be', resultWith('pass', 'unexpected-pass'), { strictExpectations: true }, true],
  ['a warning instead of a failure', resultWith('warn', 'unexpected-pass'), {}, false],
  ['a warning instead of a failure, strict', resultWith('warn', 'unexpected-pass'), { strict: true }, true],
  [
    'an unsupported part where a failure is expected',
    resultWith('unsupported', 'different'),
    { strictExpectations: true },
    false,
  ],
  ['a flaky case', resultWith('flaky'), {}, true],
  ['a flaky case that is allowed', resultWith('flaky'), { allowFlaky: true }, false],
  ['a flaky case that is expected', resultWith('flaky', 'met'), {}, false],
  ['a failure where flaky is allowed', resultWith('fail'), { allowFlaky: true }, true],
  ['a known deviation', resultWith('fail', undefined, { knownDeviation }), {}, true],
  ['an accepted deviation', resultWith('fail', undefined, { knownDeviation }), { acceptKnown: true }, false],
  ['a known deviation that is expected', resultWith('fail', 'met', { knownDeviation }), {}, false],
  // An expectation takes precedence over the manifest.
  [
    'a known deviation, another failure than expected',
    resultWith('crash', 'different', { knownDeviation }),
    { acceptKnown: true },
    true,
  ],
  [
    'a known deviation, the expectation is over',
    resultWith('fail', 'expired', { knownDeviation }),
    { acceptKnown: true },
    false,
  ],
])('%s', (_, outcome, weighing, fails) => {
  expect(failsRun({ plan: must, result: outcome }, weighing)).toBe(fails);
});

test('a flaky case violates what its failed attempts violate', () => {
  const should = { level: 'should' } as const;
  expect(failsRun({ plan: should, result: resultWith('flaky') }, {})).toBe(false);
  expect(failsRun({ plan: should, result: resultWith('flaky') }, { strict: true })).toBe(true);
  const finding = { type: 'pjrt.WrongValue', level: 'must', message: 'wrong' } as const;
  expect(failsRun({ plan: should, result: resultWith('flaky', undefined, { findings: [finding] }) }, {})).toBe(true);
});

test('an expectation that is met decides how a case stands, whatever else excuses it', () => {
  const standing = (plan: object, of: CaseResult, weighing: Weighing = {}) =>
    standingOf({ plan: { ...must, ...plan }, result: of }, weighing);
  expect(standing({}, resultWith('fail', 'met', { knownDeviation }), { acceptKnown: true })).toBe('expected');
  expect(standing({}, resultWith('flaky', 'met'), { allowFlaky: true })).toBe('expected');
  expect(standing({}, resultWith('unsupported', 'met'))).toBe('unsupported');
  expect(standing({}, resultWith('warn', 'met'))).toBe('expected');
  expect(standing({ informative: true }, resultWith('fail', 'met'))).toBe('expected');
  expect(standing({}, resultWith('fail', 'different'))).toBe('failed');
});

const entry = (standing: ExpectationEntry['standing'], todo?: string): ExpectationEntry => ({
  file: 'expectations.yaml',
  line: 9,
  cases: ['a:*'],
  expect: ['fail'],
  reason: todo ?? 'the driver is old',
  ...(todo === undefined ? {} : { placeholder: true }),
  expires: '2026-01-31',
  standing,
});

const scene = (results: readonly CaseResult[], entries: readonly ExpectationEntry[] = [], options: Weighing = {}) =>
  foldRun([
    header({ options }),
    ...suiteEvents(
      'a',
      results.map((of, at) => ({ name: `case-${at}`, result: of })),
    ),
    { type: 'expectations', entries: [...entries] } satisfies Event,
    footer(),
  ]);

const strictExpectations = true;

test.each<[string, ReturnType<typeof scene>, number, string]>([
  [
    'expected failures',
    scene([resultWith('pass'), resultWith('fail', 'met'), resultWith('crash', 'met')]),
    0,
    'passes (profile standard): 1 of 3 cases passed, 2 failed as expected',
  ],
  [
    'an unexpected pass is reported',
    scene([resultWith('pass'), resultWith('pass', 'unexpected-pass')]),
    0,
    'passes (profile standard): 2 of 2 cases passed, 1 passed unexpectedly',
  ],
  [
    'an unexpected pass that fails the run',
    scene([resultWith('pass'), resultWith('pass', 'unexpected-pass')], [], { strictExpectations }),
    1,
    'expectations are stale: 1 case passed unexpectedly',
  ],
  [
    'stale entries are nothing by themselves',
    scene([resultWith('pass')], [entry('expired')]),
    0,
    'passes (profile standard): 1 of 1 cases passed',
  ],
  [
    'stale entries that fail the run',
    scene([resultWith('pass')], [entry('expired'), entry('unmatched'), entry('unmatched'), entry('elsewhere')], {
      strictExpectations,
    }),
    1,
    'expectations are stale: 3 entries 1 expired, 2 unmatched',
  ],
  [
    'an entry whose reason is a placeholder is stale where it applies',
    scene(
      [resultWith('pass')],
      [entry('active', 'TODO say why: x'), entry('elsewhere', 'TODO say why: x'), entry('active')],
      {
        strictExpectations,
      },
    ),
    1,
    'expectations are stale: 1 entry 1 without a reason',
  ],
  [
    'a violated MUST takes precedence over stale entries',
    scene([resultWith('pass'), resultWith('fail')], [entry('expired')], { strictExpectations }),
    1,
    'fails: 1 of 2 cases violate a MUST (1 fail)',
  ],
  [
    'a warning where a failure is expected breaks a SHOULD all the same, which counts when strict',
    scene([resultWith('pass'), resultWith('warn', 'unexpected-pass')], [], { strict: true }),
    1,
    'fails: 1 of 2 cases violate a MUST or SHOULD (1 warn)',
  ],
  [
    'nothing but expected failures proves nothing',
    scene([resultWith('fail', 'met')]),
    5,
    'no verdict: nothing was proven: none of 1 cases passed',
  ],
  ['a flaky case', scene([resultWith('pass'), resultWith('flaky')]), 1, 'fails: 1 of 2 cases violate a MUST (1 flaky)'],
  [
    'allowed flaky cases are reported',
    scene([resultWith('pass'), resultWith('flaky')], [], { allowFlaky: true }),
    0,
    'passes (profile standard): 1 of 2 cases passed, 1 flaky',
  ],
])('verdict: %s', (_, run, code, line) => {
  expect(verdict(run)).toMatchObject({ exitCode: code, line });
});

test('expected failures and unexpected passes are counted', () => {
  const run = scene([
    resultWith('fail', 'met'),
    resultWith('pass', 'unexpected-pass'),
    resultWith('crash', 'different'),
    resultWith('pass'),
  ]);
  expect(expectationCounts(run)).toEqual({ expectedFailures: 1, unexpectedPasses: 1 });
});

test('the text about a stale entry has its location and what to do', () => {
  expect(staleText(entry('expired'))).toBe(
    'expectations.yaml:9: the expectation of a:* expired on 2026-01-31; check the cases, then renew or remove it',
  );
  expect(staleText(entry('active', 'TODO say why: x'))).toBe(
    'expectations.yaml:9: the expectation of a:* has no reason, only "TODO say why: x"; say why the cases fail',
  );
  expect(staleText(entry('unmatched'))).toBe(
    'expectations.yaml:9: no case matches a:*; correct the entry or remove it',
  );
});
