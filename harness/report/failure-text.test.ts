import { expect, test } from 'vitest';
import type { CaseResult } from './events.ts';
import { failureText, headline, reproduceCommand, shellQuoted } from './failure-text.ts';
import { type CaseRun, foldRun } from './model.ts';
import { header, result, suiteEvents } from './sample-log.test-helper.ts';

const caseWith = (given: CaseResult | undefined): { run: ReturnType<typeof foldRun>; item: CaseRun } => {
  const run = foldRun([header(), ...suiteEvents('a', [{ name: "x[t='q']", result: given }])]);
  return { run, item: run.suites[0]!.cases[0]! };
};

test('broken MUSTs come first, whatever was found first', () => {
  const { run, item } = caseWith(
    result('fail', {
      findings: [
        { type: 'pjrt.A', level: 'info', message: 'remark' },
        { type: 'pjrt.B', level: 'should', message: 'ought' },
        { type: 'pjrt.C', level: 'must', message: 'broken', line: 12, requirements: ['R-1'] },
      ],
    }),
  );
  expect(headline(item)).toBe('broken (and 1 more)');
  expect(
    failureText(run, item).findings.map((finding) => [finding.level, finding.place, finding.requirements]),
  ).toEqual([
    ['MUST', 'suites/a.yaml:12', ['R-1']],
    ['SHOULD', 'suites/a.yaml:7', ['BUF-H2D-001']],
    ['info', 'suites/a.yaml:7', ['BUF-H2D-001']],
  ]);
});

test('without findings, the end of the process or the reason is the headline', () => {
  expect(headline(caseWith(result('crash', { signal: 'SIGABRT', inFlight: 'PJRT_Client_Create' })).item)).toBe(
    'crash SIGABRT in PJRT_Client_Create',
  );
  expect(headline(caseWith(result('crash', { exitCode: 0 })).item)).toBe('crash exit code 0');
  expect(headline(caseWith(result('timeout', { reason: 'no answer' })).item)).toBe('no answer');
  expect(headline(caseWith(result('fail')).item)).toBe('fail without a finding');
  expect(headline(caseWith(undefined).item)).toBe('the run ended before this case');
});

test('the reproduction command survives a shell', () => {
  const { run } = caseWith(undefined);
  expect(shellQuoted('a/b:c-d')).toBe('a/b:c-d');
  expect(reproduceCommand(run, "a:x[t='q']")).toBe(
    "npx pjrt-conformance --plugin ./example.so --test 'a:x[t='\\''q'\\'']'",
  );
});
