import { expect, test } from 'vitest';
import { parseAs } from '../../tests/support/json-schemas.ts';
import type { CaseResult } from '../model/case-result.ts';
import type { Event, PlannedCase } from '../model/events.ts';
import type { CaseExpectation } from '../model/expectation.ts';
import type { Finding } from '../model/finding.ts';
import { applyEvent, emptyRun, foldRun } from '../model/run.ts';
import { facts, footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import type { Weighing } from '../verdict/breach.ts';
import { verdict } from '../verdict/verdict.ts';
import { junitXml } from './junit.ts';
import { type OutcomeLine, type OutcomesEnd, outcomeStream } from './outcomes.ts';

const wrong: Finding = { type: 'pjrt.WrongValue', level: 'must', message: 'num_devices is 1, expected 2', line: 12 };
const minor: Finding = { ...wrong, level: 'should' };

const expected = (outcome: CaseExpectation['outcome']): CaseExpectation => ({
  file: 'expectations.yaml',
  line: 9,
  expect: ['fail'],
  reason: 'counts only one socket',
  outcome,
});

interface Planned {
  name: string;
  plan?: Partial<PlannedCase>;
  result?: CaseResult;
}

/** Events of a complete run of these cases. */
function complete(cases: Planned[], options: Weighing = {}, more: Event[] = []): Event[] {
  const events = [header({ options }), ...more, ...suiteEvents('a', cases)];
  const { exitCode, line } = verdict(foldRun(events), { ending: 'complete' });
  return [...events, footer({ exitCode, verdict: line, counts: foldRun(events).counts })];
}

type Line = OutcomeLine | OutcomesEnd;

/** The lines, with the number of events after which each was written. */
function streamed(events: readonly Event[]): { lines: Line[]; at: number[] } {
  const run = emptyRun();
  const lines: Line[] = [];
  const at: number[] = [];
  let seen = 0;
  const take = outcomeStream(run, (text) => {
    expect(text.endsWith('\n')).toBe(true);
    lines.push(parseAs<Line>('outcomes', text));
    at.push(seen);
  });
  for (const event of events) {
    seen++;
    applyEvent(run, event);
    take(event);
  }
  return { lines, at };
}

const outcomes = (lines: readonly Line[]): Record<string, string> =>
  Object.fromEntries(lines.flatMap((line) => (line.type === 'case' ? [[line.id, line.outcome]] : [])));

const CASES: Planned[] = [
  { name: 'good', result: result('pass') },
  { name: 'bad', result: result('fail', { findings: [wrong], stderr: { head: 'E0001', tail: '', omittedBytes: 0 } }) },
  { name: 'dies', result: result('crash', { findings: [wrong], signal: 'SIGSEGV' }) },
  { name: 'excused', result: result('fail', { findings: [wrong], expectation: expected('met') }) },
  { name: 'gone', result: result('pass', { expectation: expected('unexpected-pass') }) },
  { name: 'minor', result: result('warn', { findings: [minor] }) },
  { name: 'optional', result: result('unsupported', { reason: 'no such function' }) },
  { name: 'ours', result: result('error', { reason: 'the probe threw' }) },
  { name: 'dies-in-should', plan: { level: 'should' }, result: result('crash', { findings: [minor] }) },
];

test('each case has the outcome that its JUnit element has', () => {
  const events = complete(CASES);
  const { lines } = streamed(events);
  expect(outcomes(lines)).toMatchObject({
    'a:good': 'passed',
    'a:bad': 'failed',
    'a:dies': 'failed',
    'a:excused': 'expected-failure',
    'a:gone': 'passed',
    'a:minor': 'passed',
    'a:optional': 'skipped',
    'a:ours': 'error',
    'a:dies-in-should': 'passed',
  });
  const xml = junitXml(foldRun(events));
  for (const line of lines) {
    if (line.type !== 'case' || !line.id.startsWith('a:')) continue;
    const name = line.id.slice(2);
    const [, element = 'passed'] =
      new RegExp(`<testcase classname="pjrt.a" name="${name}"[^>]*?(?:/>|>\\s*<(failure|error|skipped))`).exec(xml) ??
      [];
    const groups = { passed: 'passed', failed: 'red', error: 'red', skipped: 'skipped', 'expected-failure': 'skipped' };
    expect([name, groups[line.outcome]]).toEqual([name, { failure: 'red', error: 'red' }[element] ?? element]);
  }
});

test('the options of the verdict count', () => {
  expect(outcomes(streamed(complete(CASES, { strict: true })).lines)).toMatchObject({ 'a:minor': 'failed' });
  const known = result('fail', { findings: [wrong], knownDeviation: { reason: 'by design', evidence: 'its source' } });
  const cases = [{ name: 'known', result: known }];
  expect(outcomes(streamed(complete(cases)).lines)).toMatchObject({ 'a:known': 'failed' });
  expect(outcomes(streamed(complete(cases, { acceptKnown: true })).lines)).toMatchObject({
    'a:known': 'expected-failure',
  });
});

test('a failure has its message, text and output; a pass only warnings', () => {
  const { lines } = streamed(complete(CASES));
  const line = (id: string): OutcomeLine => lines.find((one) => one.type === 'case' && one.id === id) as OutcomeLine;
  expect(line('a:good')).toEqual({ type: 'case', id: 'a:good', outcome: 'passed', status: 'pass', durationMs: 4 });
  expect(line('a:bad')).toMatchObject({ message: wrong.message, stderr: 'E0001' });
  expect(line('a:bad').text).toContain('reproduce: npx pjrt-conformance --plugin ./example.so --test a:bad');
  expect(line('a:minor')).toMatchObject({ text: expect.stringContaining('WARNING: num_devices') });
  expect(line('a:minor').message).toBeUndefined();
  expect(line('a:optional')).toMatchObject({ message: 'NOT_SUPPORTED: no such function' });
});

test('a line is written as soon as its case is final, and the verdict last', () => {
  const events = complete(CASES);
  const { lines, at } = streamed(events);
  lines.forEach((line, index) => {
    if (line.type !== 'case' || !line.id.startsWith('a:')) return;
    expect(events[at[index]! - 1]).toMatchObject({ type: 'case', id: line.id });
  });
  expect(lines.at(-1)).toEqual({ type: 'end', exitCode: 1, verdict: expect.stringContaining('fails: ') });
});

test('cases that did not run are skipped, and what no case shows fails', () => {
  const failure = { stage: 'load', message: 'no GetPjrtApi' } as const;
  const events = complete([{ name: 'never' }], {}, [{ type: 'plugin', plugin: facts({ failure }) }]);
  const { lines } = streamed(events);
  expect(outcomes(lines)).toEqual({ 'a:never': 'skipped', 'harness:plugin loads': 'failed' });
  expect(lines.at(-1)).toMatchObject({ type: 'end', exitCode: 3 });
});

test('the results of the session before come first when a run is resumed', () => {
  const events = complete(CASES.slice(0, 2));
  const lines: Line[] = [];
  outcomeStream(foldRun(events.slice(0, -1)), (text) => lines.push(JSON.parse(text) as Line));
  expect(outcomes(lines)).toEqual({ 'a:good': 'passed', 'a:bad': 'failed' });
});
