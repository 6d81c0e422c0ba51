import { expect, test } from 'vitest';
import { validateJunit } from '../../tests/support/junit-schemas.ts';
import type { Attempt } from '../model/case-result.ts';
import type { Event } from '../model/events.ts';
import type { CaseExpectation, ExpectationEntry } from '../model/expectation.ts';
import type { Finding } from '../model/finding.ts';
import { foldRun, type Run } from '../model/run.ts';
import { footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import type { Status } from '../model/status.ts';
import type { Weighing } from '../verdict/breach.ts';
import { verdict } from '../verdict/verdict.ts';
import { createConsoleReporter } from './console.ts';
import { findFormat } from './formats.ts';
import { githubAnnotations } from './github.ts';
import { jsonReport } from './json.ts';
import { junitXml } from './junit.ts';

const wrong: Finding = { type: 'pjrt.WrongValue', level: 'must', message: 'num_devices is 1, expected 2', line: 12 };

const expected = (outcome: CaseExpectation['outcome'], expect: Status[] = ['fail']): CaseExpectation => ({
  file: 'ci/expectations.yaml',
  line: 9,
  expect,
  reason: 'counts only one socket',
  issue: 'https://example.com/issues/7',
  expires: '2026-06-30',
  outcome,
});

const attempt = (status: Attempt['status'], worker: number, more: Partial<Attempt> = {}): Attempt => ({
  status,
  worker,
  atMs: 100 * worker,
  durationMs: 5,
  ...(status === 'pass' ? {} : { finding: wrong }),
  ...more,
});

const CASES = {
  good: result('pass'),
  'expected-fail': result('fail', { findings: [wrong], expectation: expected('met') }),
  'expected-crash': result('crash', { findings: [wrong], signal: 'SIGSEGV', expectation: expected('met', ['crash']) }),
  'passes-now': result('pass', { expectation: expected('unexpected-pass') }),
  'warns-now': result('warn', { findings: [{ ...wrong, level: 'should' }], expectation: expected('unexpected-pass') }),
  'flaky-expected': result('flaky', {
    findings: [wrong],
    expectation: expected('met', ['flaky']),
    attempts: [attempt('fail', 1), attempt('pass', 2, { why: 'rerun' })],
  }),
} as const;

const BAD = {
  'other-failure': result('crash', { findings: [wrong], expectation: expected('different') }),
  'too-late': result('fail', { findings: [wrong], expectation: expected('expired') }),
  flaky: result('flaky', {
    findings: [wrong],
    attempts: [attempt('pass', 1), attempt('fail', 2, { why: 'repeat' }), attempt('crash', 3, { why: 'repeat' })],
  }),
  'fails-again': result('fail', {
    findings: [wrong],
    attempts: [attempt('fail', 1), attempt('fail', 2, { why: 'rerun' })],
  }),
} as const;

const ENTRIES: ExpectationEntry[] = [
  { file: 'ci/expectations.yaml', line: 4, cases: ['a:gone'], expect: ['fail'], reason: 'old', standing: 'unmatched' },
  { file: 'ci/expectations.yaml', line: 9, cases: ['a:*'], expect: ['fail'], reason: 'old', standing: 'active' },
];

function sample(
  cases: Record<string, ReturnType<typeof result>>,
  entries: ExpectationEntry[] = [],
  options: Weighing = {},
) {
  const events: Event[] = [
    header({ options, expectations: { files: [{ file: 'ci/expectations.yaml', sha256: 'ee' }], date: '2026-02-03' } }),
    ...suiteEvents(
      'a',
      Object.entries(cases).map(([name, of]) => ({ name, result: of })),
    ),
    { type: 'expectations', entries },
  ];
  const { exitCode, line } = verdict(foldRun(events), { ending: 'complete' });
  events.push(footer({ exitCode, verdict: line, counts: foldRun(events).counts }));
  return { events, run: foldRun(events) };
}

const xmlOf = (run: Run): string => {
  const xml = junitXml(run);
  validateJunit(xml);
  return xml;
};

const testcase = (xml: string, name: string): string =>
  new RegExp(`<testcase classname="[^"]*" name="${name}"[^>]*?(?:/>|>.*?</testcase>)`, 's').exec(xml)?.[0] ?? '';

async function written(name: string, run: Run): Promise<string> {
  const write = await findFormat(name)!.load();
  let text = '';
  write(run, (chunk) => (text += chunk), {});
  return text;
}

function consoleText(events: readonly Event[], verbose = true): string {
  let text = '';
  const run = foldRun([]);
  const reporter = createConsoleReporter({
    stream: { write: (s) => (text += s) },
    isTTY: false,
    color: false,
    run,
    verbose,
  });
  for (const event of events) {
    Object.assign(run, foldRun(events.slice(0, events.indexOf(event) + 1)));
    reporter.event(event);
  }
  reporter.close();
  return text;
}

const good = sample(CASES, ENTRIES);
const bad = sample({ ...CASES, ...BAD }, ENTRIES);
const strict = sample(CASES, ENTRIES, { strictExpectations: true });

test('JUnit: an expected failure is skipped, with its reason and link, and the violation', () => {
  const xml = xmlOf(good.run);
  const message = 'EXPECTED_FAIL: counts only one socket; https://example.com/issues/7';
  for (const name of ['expected-fail', 'expected-crash']) {
    expect(testcase(xml, name)).toContain(`<skipped message="${message}">${message}\nnum_devices is 1, expected 2`);
  }
  expect(xml).toContain('<property name="pjrt.expected-failures" value="3"/>');
  expect(xml).toContain('<property name="pjrt.unexpected-passes" value="2"/>');
  expect(xml).toContain('<property name="pjrt.expectations" value="ci/expectations.yaml sha256 ee"/>');
  expect(xml).not.toMatch(/<failure|<error/);
});

test('JUnit: an unexpected pass is reported, and red if it fails the run; both name the entry', () => {
  const element = testcase(xmlOf(good.run), 'passes-now');
  expect(element).toContain(
    '<system-out>UNEXPECTED_PASS: passed although it is expected to fail; see ci/expectations.yaml:9',
  );
  const red = testcase(xmlOf(strict.run), 'passes-now');
  expect(red).toContain(
    '<failure message="passed although it is expected to fail; see ci/expectations.yaml:9" type="pjrt.UnexpectedPass">',
  );
});

test('JUnit: stale entries are a case of the harness, red if they count', () => {
  const text = 'ci/expectations.yaml:4: no case matches a:gone; correct the entry or remove it';
  expect(testcase(xmlOf(good.run), 'expectations are up to date')).toContain(`<system-out>WARNING:\n ${text}`);
  const red = testcase(xmlOf(strict.run), 'expectations are up to date');
  expect(red).toContain('<failure message="1 of 2 entries are stale" type="pjrt.StaleExpectation">');
  expect(red).toContain(text);
});

test('JUnit: failed attempts are flaky failures of a pass and reruns of a failure', () => {
  const xml = xmlOf(bad.run);
  // An expected failure is one whether it fails each time or now and then.
  expect(testcase(xml, 'flaky-expected')).toContain('<skipped message="EXPECTED_FAIL: counts only one socket;');
  expect(testcase(xml, 'flaky-expected')).toContain('attempts: 1 of 2 attempts failed: fail, pass (rerun)');
  for (const name of ['flaky', 'fails-again']) {
    const item = testcase(xml, name);
    expect(item).toMatch(/<failure .*<\/failure>\s*<rerunFailure .*<stackTrace>/s);
    expect(item.match(/<rerunFailure/g)).toHaveLength(1);
    expect(item).not.toContain('<flakyFailure');
  }
  expect(testcase(xml, 'flaky')).toContain('attempts: 2 of 3 attempts failed: pass, fail, crash');
  const allowed = xmlOf(sample(BAD, [], { allowFlaky: true }).run);
  expect(testcase(allowed, 'flaky').match(/<flakyFailure/g)).toHaveLength(2);
  expect(testcase(allowed, 'flaky')).toContain(
    '<flakyFailure message="num_devices is 1, expected 2" type="pjrt.WrongValue">',
  );
  expect(testcase(allowed, 'flaky')).not.toContain('<failure');
});

test('JUnit: a failure other than the expected one, and one that is no longer expected, stay red', () => {
  const xml = xmlOf(bad.run);
  expect(testcase(xml, 'other-failure')).toMatch(
    /<error .*expectation: fail was expected, not this crash: counts only/s,
  );
  expect(testcase(xml, 'too-late')).toMatch(/<failure .*expectation: was expected until 2026-06-30: counts only/s);
});

test('the console shows what is expected, what no longer is, and how the attempts ended', () => {
  const text = consoleText(bad.events);
  expect(text).toContain('! FAIL (expected) a:expected-fail');
  expect(text).toContain(
    'as expected: counts only one socket · https://example.com/issues/7 · until 2026-06-30 · (ci/expectations.yaml:9)',
  );
  expect(text).toContain('! PASS (not expected) a:passes-now');
  expect(text).toContain('! WARN (not expected) a:warns-now');
  expect(text).toContain('✗ CRASH (another is expected) a:other-failure');
  expect(text).toContain('✗ FAIL (no longer expected) a:too-late');
  expect(text).toMatch(/✗ FLAKY a:flaky\n {4}num_devices is 1, expected 2/);
  expect(text).toContain('2 of 2 attempts failed: fail, fail (rerun)');
  expect(text).toMatch(/^expected +3 × counts only one socket \(ci\/expectations\.yaml:9\)$/m);
  expect(text).toMatch(/^stale +ci\/expectations\.yaml:4: no case matches a:gone/m);
  // A suite is not red if all its failures are expected.
  expect(consoleText(good.events)).toMatch(/^! a /m);
  expect(text).toMatch(/^✗ a /m);
});

test('the console has expected failures in one line, unless all is wanted', () => {
  const text = consoleText(bad.events, false);
  expect(text).not.toContain('a:expected-fail');
  expect(text).toMatch(/^expected +3 failures, by 1 entry of ci\/expectations\.yaml; --verbose shows them$/m);
  expect(text).toMatch(/^unexpected +a:passes-now: fail was expected: counts only/m);
  expect(text).toMatch(/✗ FAIL \(no longer expected\) a:too-late/);
});

test('Markdown has sections for expected failures, unexpected passes, and flaky cases', async () => {
  const text = await written('markdown', sample({ ...CASES, ...BAD }, ENTRIES, { allowFlaky: true }).run);
  for (const title of ['Failures (3)', 'Expected failures (3)', 'Unexpected passes (2)', 'Flaky (1)']) {
    expect(text).toContain(`### ${title}`);
  }
  expect(text).toContain('stale expectation: ci/expectations.yaml:4');
});

test('code scanning does not get expected failures', async () => {
  const sarif = JSON.parse(await written('sarif', bad.run));
  const suppressed = sarif.runs[0].results.filter((one: { suppressions?: unknown }) => one.suppressions);
  expect(suppressed.map((one: { message: { text: string } }) => one.message.text.split(':')[1])).toEqual([
    'expected-fail',
    'expected-crash',
    'flaky-expected',
  ]);
  const gitlab = JSON.parse(await written('gitlab', bad.run)) as { severity: string }[];
  expect(gitlab.filter(({ severity }) => severity === 'info')).toHaveLength(3);
  const lines = githubAnnotations(bad.run);
  expect(lines.filter((line) => line.startsWith('::error'))).toHaveLength(4);
  expect(lines).toContain(
    '::notice file=ci/expectations.yaml,line=9,title=expectation::a:passes-now is expected to fail but passes',
  );
});

test('GitHub: what fails the run has an annotation, even if a known deviation explains it', () => {
  const known = {
    'known-wrong': result('fail', { findings: [wrong], knownDeviation: { reason: 'r', evidence: 'e' } }),
  };
  const errors = (options: Weighing): number =>
    githubAnnotations(sample(known, [], options).run).filter((line) => line.startsWith('::error')).length;
  expect([errors({}), errors({ acceptKnown: true })]).toEqual([1, 0]);
});

test('CTRF: a violation that does not fail the run is no failure; attempts are retries', async () => {
  const { results } = JSON.parse(await written('ctrf', bad.run));
  const statuses = Object.fromEntries(
    results.tests.map((one: { name: string; status: string }) => [one.name, one.status]),
  );
  expect(statuses).toMatchObject({
    'a:expected-fail': 'skipped',
    'a:passes-now': 'passed',
    'a:flaky-expected': 'skipped',
    'a:flaky': 'failed',
    'a:too-late': 'failed',
  });
  expect(results.summary).toMatchObject({ failed: 4, skipped: 3 });
  const flaky = results.tests.find(({ name }: { name: string }) => name === 'a:flaky');
  expect(flaky).toMatchObject({
    flaky: true,
    retries: 2,
    extra: { attempts: '2 of 3 attempts failed: pass, fail, crash' },
  });
});

test('JSON has the files, the entries, the counts, and both of each case', () => {
  const report = jsonReport(bad.run);
  expect(report.expectations).toMatchObject({ date: '2026-02-03', entries: ENTRIES });
  expect(report.summary).toMatchObject({ expectedFailures: 3, unexpectedPasses: 2, flaky: 2 });
  const cases = report.suites[0]!.cases;
  expect(cases.find(({ name }) => name === 'flaky')!.attempts).toHaveLength(3);
  expect(cases.find(({ name }) => name === 'too-late')!.expectation).toMatchObject({ outcome: 'expired', line: 9 });
});

test.each<[string, Run]>([
  ['expected failures', good.run],
  ['a failure of another kind', bad.run],
  ['stale entries that count', sample({ good: CASES.good }, ENTRIES, { strictExpectations: true }).run],
  ['stale entries that do not', sample({ good: CASES.good }, ENTRIES).run],
  ['an unexpected pass that counts', sample({ passes: CASES['passes-now'] }, [], { strictExpectations: true }).run],
  ['flaky cases that may be', sample({ good: CASES.good, flaky: BAD.flaky }, [], { allowFlaky: true }).run],
  ['flaky cases', sample({ good: CASES.good, flaky: BAD.flaky }).run],
])('the file is red exactly if the exit code is not 0: %s', (_, run) => {
  expect(/<failure|<error/.test(xmlOf(run))).toBe(run.footer!.exitCode !== 0);
});
