import { expect, test } from 'vitest';
import type { CaseResult } from '../../model/case-result.ts';
import type { Event } from '../../model/events.ts';
import { emptyRun, foldRun } from '../../model/run.ts';
import { facts, footer, header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import type { Status } from '../../model/status.ts';
import { createJudge, dayOf, reevaluated } from './apply.ts';
import type { Conditions, Expectation } from './expectation.ts';
import { type Circumstances, standingOf, unmetCondition } from './standing.ts';

const here: Circumstances = {
  plugin: { name: 'foo', sha256: 'ab'.repeat(32), apiVersion: { major: 0, minor: 90 }, platformVersion: 'foo 1.2 [x]' },
  host: { os: 'linux', arch: 'x64', name: 'ci-7' },
  date: '2026-06-15',
};

const entry = (more: Partial<Expectation> = {}): Expectation => ({
  file: 'e.yaml',
  line: 4,
  cases: ['a:*'],
  expect: ['fail'],
  reason: 'why',
  requirements: [],
  when: [],
  ...more,
});

const outcome = (entries: Expectation[], of: CaseResult | Status, id = 'a:one'): string | undefined =>
  createJudge(entries, here).judge(id, typeof of === 'string' ? result(of) : of).expectation?.outcome;

test.each<[Status[], Status, string | undefined]>([
  [['fail'], 'fail', 'met'],
  [['fail'], 'crash', 'different'],
  [['crash'], 'fail', 'different'],
  [['crash'], 'crash', 'met'],
  [['fail', 'crash'], 'crash', 'met'],
  [['fail'], 'timeout', 'different'],
  [['timeout'], 'timeout', 'met'],
  [['fail'], 'flaky', 'different'],
  [['fail'], 'pass', 'unexpected-pass'],
  [['fail'], 'warn', 'unexpected-pass'],
  [['warn'], 'warn', 'met'],
  [['warn'], 'pass', 'unexpected-pass'],
  [['warn'], 'fail', 'different'],
  [['unsupported'], 'unsupported', 'met'],
  [['unsupported'], 'pass', 'unexpected-pass'],
  [['unsupported'], 'warn', 'different'],
  [['unsupported'], 'fail', 'different'],
  [['fail'], 'unsupported', 'different'],
  [['skip'], 'skip', 'met'],
  // A flaky case sometimes passes; one that only fails is not flaky.
  [['flaky'], 'pass', 'met'],
  [['flaky'], 'flaky', 'met'],
  [['flaky'], 'warn', undefined],
  [['flaky'], 'fail', 'different'],
  [['flaky', 'fail'], 'fail', 'met'],
  // The case has no result.
  [['fail'], 'skip', undefined],
  [['fail'], 'error', undefined],
])('%j expected, %s: %s', (expected, status, expectation) => {
  expect(outcome([entry({ expect: expected })], status)).toBe(expectation);
});

test('the first matching entry decides', () => {
  const entries = [entry({ cases: ['a:one'], expect: ['crash'] }), entry({ line: 8 })];
  expect(outcome(entries, 'fail', 'a:one')).toBe('different');
  expect(outcome(entries, 'fail', 'a:one[x=1]')).toBe('different');
  expect(outcome(entries, 'fail', 'a:two')).toBe('met');
  expect(outcome(entries, 'fail', 'b:one')).toBeUndefined();
});

test('an expired entry excuses nothing, and one that is not expired takes precedence', () => {
  const over = entry({ expires: '2026-06-14', line: 2 });
  expect(outcome([over], 'fail')).toBe('expired');
  expect(outcome([over], 'crash')).toBeUndefined();
  expect(outcome([over], 'pass')).toBeUndefined();
  expect(outcome([entry({ expires: '2026-06-15' })], 'fail')).toBe('met');
  expect(outcome([over, entry({ line: 8 })], 'fail')).toBe('met');
});

test('a failure that violates requirements which the entry does not name is different', () => {
  const named = entry({ requirements: ['BUF-HOST-001'] });
  const breaking = (...requirements: string[][]): CaseResult =>
    result('fail', {
      findings: requirements.map((ids) => ({ type: 'pjrt.X', level: 'must', message: 'x', requirements: ids })),
    });
  expect(outcome([named], breaking(['BUF-HOST-001']))).toBe('met');
  expect(outcome([named], breaking(['BUF-HOST-001', 'BUF-HOST-002']))).toBe('met');
  expect(outcome([named], breaking(['BUF-HOST-001'], ['BUF-HOST-002']))).toBe('different');
  expect(outcome([named], breaking(['BUF-HOST-002']))).toBe('different');
  // A finding without requirements proves nothing more than the status.
  expect(outcome([named], breaking([]))).toBe('met');
});

test('the mark has the location and the whole text of the entry', () => {
  const whole = entry({ issue: 'https://example.com/1', owner: 'me', expires: '2026-12-31' });
  expect(createJudge([whole], here).judge('a:one', result('fail')).expectation).toEqual({
    file: 'e.yaml',
    line: 4,
    expect: ['fail'],
    reason: 'why',
    issue: 'https://example.com/1',
    owner: 'me',
    expires: '2026-12-31',
    outcome: 'met',
  });
});

test.each<[Conditions, string | undefined]>([
  [{ plugin: 'foo' }, undefined],
  [{ plugin: 'f*' }, undefined],
  [{ plugin: 'bar' }, 'the plugin is foo, not bar'],
  [{ sha256: 'abababab' }, undefined],
  [{ sha256: 'abababac' }, 'the sha256 of the plugin does not begin with abababac'],
  [{ apiMinor: { min: 90, max: 90 } }, undefined],
  [{ apiMinor: { min: 91 } }, 'the API version is 0.90, not 0.(91 to …)'],
  [{ apiMinor: { max: 89 } }, 'the API version is 0.90, not 0.(… to 89)'],
  [{ platformVersion: '*1.2 [x]' }, undefined],
  [{ platformVersion: 'foo 1.2' }, 'the platform version is foo 1.2 [x], not foo 1.2'],
  [{ os: 'darwin' }, 'the operating system is linux, not darwin'],
  [{ arch: 'arm64' }, 'the processor is x64, not arm64'],
  [{ host: 'ci-?' }, undefined],
  [{ host: 'lab-*' }, 'the host is ci-7, not lab-*'],
  [{ os: 'linux', arch: 'arm64' }, 'the processor is x64, not arm64'],
])('%j: %s', (conditions, why) => {
  expect(unmetCondition(conditions, here)).toBe(why);
  expect(outcome([entry({ when: [{}, conditions] })], 'fail')).toBe(why === undefined ? 'met' : undefined);
});

test('a condition on something unknown does not hold', () => {
  const unknown: Circumstances = { ...here, plugin: { name: 'foo' } };
  expect(unmetCondition({ apiMinor: { min: 1 } }, unknown)).toBe('the API version is not known, not 0.(1 to …)');
  expect(unmetCondition({ platformVersion: '*' }, unknown)).toBe('the platform version is not known, not *');
  expect(unmetCondition({ sha256: 'abababab' }, unknown)).toMatch(/sha256/);
});

test.each(['TODO say why: PJRT_Client_Create failed', 'todo', 'FIXME', 'TBD.', '???', 'n/a', 'Unknown'])(
  '%s is no reason',
  (reason) => {
    expect(standingOf(entry({ reason }), here, ['a:one'])).toMatchObject({ placeholder: true });
  },
);

test.each(['why', 'the driver is unknown to us', 'todos of the compiler: see #17', 'N/A on v2'])('%s', (reason) =>
  expect(standingOf(entry({ reason: `${reason} it fails` }), here, ['a:one']).placeholder).toBeUndefined(),
);

test('an entry is active, expired, elsewhere, or matches no case', () => {
  const standing = (more: Partial<Expectation>) => standingOf(entry(more), here, ['a:one', 'a:two[x=1]']);
  expect(standing({}).standing).toBe('active');
  expect(standing({ cases: ['a:two'] }).standing).toBe('active');
  expect(standing({ expires: '2026-06-14' })).toMatchObject({ standing: 'expired', expires: '2026-06-14' });
  expect(standing({ when: [{ os: 'darwin' }] })).toMatchObject({
    standing: 'elsewhere',
    why: expect.stringMatching(/darwin/),
  });
  // One matching glob is enough.
  expect(standing({ cases: ['a:one', 'a:three'] })).toMatchObject({ standing: 'unmatched', cases: ['a:three'] });
});

test('the date of a run', () => {
  expect(dayOf('2026-02-03T23:59:59.999Z', undefined)).toBe('2026-02-03');
  expect(dayOf('2026-02-03T23:59:59.999Z', new Date(0))).toBe('1970-01-01');
});

test('re-evaluating a log gives the log that the run would have written', () => {
  const log = (first: CaseResult): Event[] => [
    header({ startedAt: '2026-06-15T10:00:00.000Z' }),
    { type: 'plugin', plugin: facts({ apiVersion: { major: 0, minor: 90 } }) },
    ...suiteEvents('a', [{ name: 'one', result: first }]),
  ];
  const when = [{ apiMinor: { min: 90 } }];
  const expectations = {
    files: [{ file: 'e.yaml', sha256: 'ee', when: {}, entries: [entry({ when })] }],
    date: '2026-06-15',
  };
  const again = (events: Event[]): Event[] => {
    const run = emptyRun();
    const written: Event[] = [];
    for (const event of reevaluated(
      events,
      run,
      () => expectations,
      () => ['a:one'],
    )) {
      written.push(event);
      Object.assign(run, foldRun(written));
    }
    return written;
  };
  const judged = again([...log(result('fail')), footer()]);
  const run = foldRun(judged);
  expect(run.header!.expectations).toEqual({ files: [{ file: 'e.yaml', sha256: 'ee' }], date: '2026-06-15' });
  expect(run.cases.get('a:one')!.result!.expectation).toMatchObject({ outcome: 'met' });
  expect(judged.map(({ type }) => type).slice(-2)).toEqual(['expectations', 'footer']);
  expect(run.expectations).toMatchObject([{ standing: 'active' }]);
  // Entries of earlier files are dropped, and an unfinished log gets the entries too.
  const other = result('fail', {
    expectation: { file: 'old', line: 1, expect: ['crash'], reason: 'x', outcome: 'different' },
  });
  expect(again([...log(other), { type: 'expectations', entries: [] }, footer()])).toEqual(judged);
  expect(again(log(result('fail')))).toEqual(judged.slice(0, -1));
});
