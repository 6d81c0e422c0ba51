import { expect, test } from 'vitest';
import type { CaseResult } from '../model/case-result.ts';
import type { Finding } from '../model/finding.ts';
import { foldRun, type Run } from '../model/run.ts';
import { header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import { createJudge } from '../verdict/expectations/apply.ts';
import { parseExpectations } from '../verdict/expectations/load.ts';
import { globsOf, updatedExpectations } from './updated-expectations.ts';

const wrong = (message: string, requirements = ['BUF-HOST-024']): Finding => ({
  type: 'pjrt.WrongValue',
  level: 'must',
  message,
  requirements,
});

const failed = (message = 'wrong'): CaseResult => result('fail', { findings: [wrong(message)] });

const DATE = '2026-06-15';

/** A run of some cases, evaluated with a file. */
function runOf(results: Record<string, CaseResult>, text?: string): Run {
  const { entries } = text === undefined ? { entries: [] } : parseExpectations(text, 'e.yaml');
  const start = header();
  const judge = createJudge(entries, { plugin: { name: 'example' }, host: start.host, date: DATE });
  const suites = new Map<string, { name: string; result: CaseResult }[]>();
  for (const [id, of] of Object.entries(results)) {
    const [suite, name] = id.split(':') as [string, string];
    suites.set(suite, [...(suites.get(suite) ?? []), { name, result: judge.judge(id, of) }]);
  }
  return foldRun([start, ...[...suites].flatMap(([suite, cases]) => suiteEvents(suite, cases))]);
}

function update(text: string | undefined, results: Record<string, CaseResult>, more: string[] = []) {
  const ids = [...Object.keys(results), ...more];
  const done = updatedExpectations(text, 'e.yaml', runOf(results, text), ids);
  // With the written file the run passes, and a second update changes nothing.
  if (done.text !== undefined) {
    const again = updatedExpectations(done.text, 'e.yaml', runOf(results, done.text), ids);
    expect({ ...again }).toEqual({ added: 0, changed: 0, removed: 0 });
  }
  return done;
}

test('a new file has one entry for the cases of a family that fail alike', () => {
  const done = update(undefined, {
    'a:good': result('pass'),
    'a:all[x=1]': failed('x is 1'),
    'a:all[x=2]': failed('x is 2'),
    'a:some[x=1]': failed('# odd: "x"'),
    'a:some[x=2]': result('pass'),
    'a:some[x=3]': failed(),
    'a:mixed[x=1]': failed(),
    'a:mixed[x=2]': result('crash', { findings: [wrong('died', ['BUF-HOST-003', 'BUF-HOST-001'])] }),
    'a:slow': result('timeout', { findings: [wrong('late', [])] }),
    'a:flaky': result('flaky', { findings: [wrong('now and then')] }),
    'a:warned': result('warn', { findings: [{ ...wrong('should'), level: 'should' }] }),
    'a:absent': result('unsupported'),
  });
  expect(done).toMatchObject({ added: 6, changed: 0, removed: 0 });
  expect(
    done.text,
  ).toBe(`# yaml-language-server: $schema=./node_modules/pjrt-conformance/schemas/expectations.schema.json
# Expected failures of example, and why: see docs/expectations.md of pjrt-conformance.
when: {plugin: example}
expectations:
  - cases: a:all
    expect: fail
    reason: "TODO say why: x is 1"
    requirements: [BUF-HOST-024]

  - cases:
      - a:some[x=1]
      - a:some[x=3]
    expect: fail
    reason: 'TODO say why: # odd: "x"'
    requirements: [BUF-HOST-024]

  - cases: a:mixed[x=1]
    expect: fail
    reason: "TODO say why: wrong"
    requirements: [BUF-HOST-024]

  - cases: a:mixed[x=2]
    expect: crash
    reason: "TODO say why: died"
    requirements: [BUF-HOST-001, BUF-HOST-003]

  - cases: a:slow
    expect: timeout
    reason: "TODO say why: late"

  - cases: a:flaky
    expect: flaky
    reason: "TODO say why: now and then"
    requirements: [BUF-HOST-024]
`);
});

const OWN = `# Ours.
when: {plugin: "exam*"} # also the nightly

expectations:
  # The driver. Ask Kim.
  - cases: a:one
    expect: fail # since March
    reason: |
      long
      story

  - cases: [a:two, "b:*"]
    expect: [fail, crash]
    reason: other # stays
    owner: us
`;

test('an up-to-date file stays byte for byte the same', () => {
  const results = { 'a:one': failed(), 'a:two': failed(), 'b:x': result('crash') };
  expect(update(OWN, results)).toEqual({ added: 0, changed: 0, removed: 0 });
});

test('new entries are appended; reasons, comments and order are kept', () => {
  const results = { 'a:one': failed(), 'a:two': failed(), 'b:x': result('crash'), 'c:new': failed('new') };
  const { text, added } = update(OWN, results);
  expect(added).toBe(1);
  expect(text).toBe(`${OWN}
  - cases: c:new
    expect: fail
    reason: "TODO say why: new"
    requirements: [BUF-HOST-024]
`);
});

test('a failure of another kind gets an entry before the one that it contradicts', () => {
  const results = { 'a:one': result('crash', { findings: [wrong('died')] }), 'a:two': failed(), 'b:x': failed() };
  const { text, added } = update(OWN, results);
  expect(added).toBe(1);
  expect(text!.indexOf('expect: crash')).toBeLessThan(text!.indexOf('expect: fail # since March'));
  expect(text).toContain('# The driver. Ask Kim.');
});

test('passing cases are removed from their entry, and empty entries from the file', () => {
  const results = {
    'a:one': result('pass'),
    'a:two': result('pass'),
    'b:x[1]': failed(),
    'b:x[2]': failed(),
    'b:y': result('pass'),
  };
  const { text, changed, removed } = update(OWN, results);
  expect([changed, removed]).toEqual([1, 1]);
  expect(text).not.toContain('a:one');
  expect(text).toContain('cases: b:x\n    expect: [fail, crash]\n    reason: other');
  expect(text).toContain('# Ours.');
});

test('cases that did not run keep their entry', () => {
  const { text, changed, removed } = update(OWN, { 'a:two': result('pass') }, ['a:one', 'b:x', 'b:y']);
  expect([changed, removed]).toEqual([1, 0]);
  expect(text).toContain('cases: a:one');
  expect(parseExpectations(text!, 'e.yaml').entries[1]!.cases).toEqual(['b:x', 'b:y']);
});

test('an expired entry is not renewed', () => {
  const text = 'expectations:\n  - cases: a:one\n    expect: fail\n    reason: why\n    expires: 2026-01-01\n';
  const done = updatedExpectations(text, 'e.yaml', runOf({ 'a:one': failed() }, text), ['a:one']);
  expect(done).toEqual({ added: 0, changed: 0, removed: 0 });
});

test('lists that are not indented stay so', () => {
  const text = 'expectations:\n- cases: a:one\n  expect: fail\n  reason: why\n';
  expect(update(text, { 'a:one': failed(), 'a:two': failed() }).text).toMatch(
    /^expectations:\n- cases: a:one\n {2}expect: fail\n {2}reason: why\n\n- cases: a:two\n/,
  );
});

test('a family of which all cases are included is one glob', () => {
  const all = ['a:x[1]', 'a:x[2]', 'a:y[1]', 'a:y[2]', 'a:z'];
  expect(globsOf(['a:x[1]', 'a:x[2]', 'a:y[2]', 'a:z'], all)).toEqual(['a:x', 'a:y[2]', 'a:z']);
});
