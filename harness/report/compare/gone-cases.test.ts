import { expect, test } from 'vitest';
import { foldRun } from '../../model/run.ts';
import { footer, header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import type { Status } from '../../model/status.ts';
import { compareRuns } from './compare.ts';
import { DEFAULT_POLICY, parsePolicy } from './policy.ts';
import type { NamedRun } from './side.ts';

type Header = Parameters<typeof header>[0];

/** A run of suites with a number of cases each, all with one status. */
function run(suites: Record<string, number>, head: Header = {}, status: Status = 'pass', from = 0): NamedRun {
  const events = Object.entries(suites).flatMap(([suite, count]) =>
    suiteEvents(
      suite,
      Array.from({ length: count }, (_, i) => ({ name: `c${from + i}`, result: result(status) })),
    ),
  );
  return { name: 'log', run: foldRun([header(head), ...events, footer()]) };
}

const selecting = (options: Record<string, unknown>): Header => ({ invocation: { cwd: '/', options } });

const compared = (old: NamedRun, now: NamedRun, policy = DEFAULT_POLICY) => compareRuns([old], [now], policy);
const found = (old: NamedRun, now: NamedRun, policy = DEFAULT_POLICY) =>
  compared(old, now, policy).changes.map(({ action, kind, subject }) => `${action} ${kind} ${subject}`);
/** What the change in number says of its reason, without the last line, which is advice. */
const reasons = (old: NamedRun, now: NamedRun): string[] | undefined =>
  compared(old, now)
    .changes.find(({ kind }) => kind === 'fewer-cases')
    ?.detail?.slice(0, -1);

test('a suite of which nothing ran fails the gate, and so do many missing cases', () => {
  const { changes, gate } = compared(run({ a: 29, b: 2000, c: 710 }), run({ a: 29 }));
  expect(gate.verdict).toBe('fail');
  expect(changes).toMatchObject([
    { kind: 'gone-suite', subject: 'b', message: 'no case of the suite ran; its 2000 cases were in the old run' },
    { kind: 'gone-suite', subject: 'c' },
    {
      kind: 'fewer-cases',
      subject: 'cases',
      old: '2739',
      new: '29',
      message: '2710 of 2739 cases (99 %) are gone that the old run executed; up to 10 % may be',
      detail: [
        'nothing in the logs explains it: were suites left out (--suites), or renamed?',
        'if it is meant to be so, make a new baseline, or allow it in the policy (gone-suite, fewer-cases)',
      ],
    },
  ]);
});

test('single cases of a suite only warn, until they are more than the threshold', () => {
  expect(found(run({ a: 20 }), run({ a: 18 }))).toEqual(['warn gone-case a:c18', 'warn gone-case a:c19']);
  expect(found(run({ a: 20 }), run({ a: 17 }))[0]).toBe('fail fewer-cases cases');
  const strict = parsePolicy('thresholds: {fewer-cases: {percent: 0}}', 'p.yaml');
  expect(found(run({ a: 20 }), run({ a: 19 }), strict)[0]).toBe('fail fewer-cases cases');
});

test('cases that others replace are not fewer, and cases that could not run before are no loss', () => {
  const others = found(run({ a: 20 }), run({ a: 20 }, {}, 'pass', 10));
  expect(others.filter((line) => line.startsWith('fail'))).toEqual([]);
  expect(found(run({ a: 1 }), run({ a: 1 }))).toEqual([]);
  for (const status of ['unsupported', 'skip'] as const) {
    expect(found(run({ a: 3, b: 50 }, {}, status), run({ a: 3 }, {}, status))).toEqual(['warn gone-case b']);
  }
});

test('cases that still exist and do not run are no fewer cases: each is a change of its own', () => {
  const kinds = new Set(found(run({ a: 20 }), run({ a: 20 }, {}, 'skip')).map((line) => line.split(' ')[1]));
  expect([...kinds]).toEqual(['not-run']);
});

test('a selection, another profile, or another version is named', () => {
  const [old, few] = [{ a: 20, b: 20 }, { a: 20 }];
  expect(reasons(run(old, selecting({})), run(few, selecting({ suite: ['a'], tests: ['a:*'] })))).toEqual([
    'the selections differ: all cases then, --suite a --tests a:* now; compare runs of the same selection',
  ]);
  expect(reasons(run(old), run(few, selecting({ suite: ['a'] })))).toEqual([
    'the selections differ: one that is not recorded then, --suite a now; compare runs of the same selection',
  ]);
  expect(reasons(run(old, { profile: 'full' }), run(few, { profile: 'smoke' }))).toEqual([
    'the profiles differ: full then, smoke now; compare runs of the same profile',
  ]);
  const newer = { tool: { name: 'pjrt-conformance', version: '0.2.0' } };
  expect(reasons(run(old), run(few, newer))).toEqual([
    'the versions of the tool differ: 0.1.0 then, 0.2.0 now; make a new baseline',
  ]);
});

test('another version of the tool may have lost a suite, and a part of a run has a part of the cases: these warn', () => {
  const newer = { tool: { name: 'pjrt-conformance', version: '0.2.0' } };
  expect(found(run({ a: 99, b: 1 }), run({ a: 99 }, newer))).toEqual(['warn gone-suite b']);
  const part = run({ a: 20 }, { shard: { index: 1, count: 2 } });
  expect(found(run({ a: 20, b: 20 }), part)).toEqual(['warn gone-suite b', 'warn fewer-cases cases']);
});

test('the policy can allow it', () => {
  const policy = parsePolicy('changes: {gone-suite: ignore, fewer-cases: ignore}', 'p.yaml');
  expect(compared(run({ a: 5, b: 20 }), run({ a: 5 }), policy).gate.verdict).toBe('pass');
});
