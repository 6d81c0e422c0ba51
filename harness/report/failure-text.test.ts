import { describe, expect, test } from 'vitest';
import type { CallTrace, CaseResult, TracedCall } from '../model/case-result.ts';
import { type CaseRun, foldRun } from '../model/run.ts';
import { header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import { failureText, headline, reproduceCommand, shellQuoted } from './failure-text.ts';

const caseWith = (given: CaseResult | undefined): { run: ReturnType<typeof foldRun>; item: CaseRun } => {
  const run = foldRun([header(), ...suiteEvents('a', [{ name: "x[t='q']", result: given }])]);
  return { run, item: run.suites[0]!.cases[0]! };
};

test('violated MUSTs come first, whatever was found first', () => {
  const { run, item } = caseWith(
    result('fail', {
      findings: [
        { type: 'pjrt.A', level: 'info', message: 'remark' },
        { type: 'pjrt.B', level: 'should', message: 'ought' },
        { type: 'pjrt.C', level: 'must', message: 'wrong', line: 12, requirements: ['R-1'] },
      ],
    }),
  );
  expect(headline(item)).toBe('wrong (and 1 more)');
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
  const { run, item } = caseWith(result('crash', { signal: 'SIGKILL', inFlight: 'PJRT_\x7f\nCreate' }));
  expect(failureText(run, item).end).toBe('SIGKILL in PJRT_\\x7f\\nCreate');
  expect(headline(caseWith(result('timeout', { reason: 'no answer' })).item)).toBe('no answer');
  expect(headline(caseWith(result('fail')).item)).toBe('fail without a finding');
  expect(headline(caseWith(undefined).item)).toBe('the run ended before this case');
});

test('the reproduction command is quoted for a shell', () => {
  const { run } = caseWith(undefined);
  expect(shellQuoted('a/b:c-d')).toBe('a/b:c-d');
  expect(reproduceCommand(run, "a:x[t='q']")).toBe(
    "npx pjrt-conformance --plugin ./example.so --test 'a:x[t='\\''q'\\'']'",
  );
});

describe('the native calls of a case that did not pass', () => {
  const traced = (trace: CallTrace | undefined) => {
    const { run, item } = caseWith(result('crash', trace ? { trace } : {}));
    return failureText(run, item).trace;
  };
  const ok = (call: string): TracedCall => ({ call, answer: 'OK', durationMs: 0.25 });

  test('are listed in words, equal ones in a row as one', () => {
    const calls = [ok('A'), ok('A'), { call: 'W' }, ok('A'), { call: 'B', answer: 'INTERNAL', durationMs: 2 }];
    expect(traced({ before: 0, calls: [...calls, { call: 'C', answer: 'DEATH' }] })).toEqual({
      title: '6 native calls',
      calls: [
        { text: 'A × 2: OK', durationMs: 0.5 },
        { text: 'W: still running on another thread', durationMs: undefined },
        { text: 'A: OK', durationMs: 0.25 },
        { text: 'B: INTERNAL', durationMs: 2 },
        { text: 'C: the process died in it', durationMs: undefined },
      ],
    });
    expect(traced({ before: 0, calls: [{ call: 'D', answer: 'HANG' }] })?.calls[0]?.text).toBe('D: it did not return');
    expect([traced(undefined), traced({ before: 0, calls: [] })]).toEqual([undefined, undefined]);
  });

  test('are the last ones, and those before are counted', () => {
    const calls = Array.from({ length: 40 }, (_, at) => ok(`call ${at}`));
    const text = traced({ before: 100, calls });
    expect(text?.title).toBe('the last 12 of 140 native calls');
    expect(text?.calls.at(-1)?.text).toBe('call 39: OK');
    expect(text?.calls).toHaveLength(12);
  });

  test('contain no control characters', () => {
    expect(traced({ before: 0, calls: [ok('\x1b[2Jx\n')] })?.calls[0]?.text).not.toMatch(/[\x00-\x1f]/);
  });
});

test('without a header, the command that repeats a case is a valid one', () => {
  expect(reproduceCommand(foldRun([]), 'a:x')).toBe('npx pjrt-conformance --tests a:x');
});
