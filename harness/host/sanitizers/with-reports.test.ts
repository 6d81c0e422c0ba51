import { expect, test } from 'vitest';
import type { CaseResult } from '../../model/case-result.ts';
import { sampleCase } from '../../suite/sample-case.test-helper.ts';
import type { SanitizerReport } from './report.ts';
import { withReports } from './with-reports.ts';

const REPORT: SanitizerReport = {
  tool: 'UndefinedBehaviorSanitizer',
  what: 'shift exponent 32 is too large',
  frames: [{ function: 'shift', file: '/src/foo.cc', line: 7, module: '/vendor/libfoo.so' }],
  text: 'foo.cc:7:3: runtime error: shift exponent 32 is too large',
};
const PASS: CaseResult = { status: 'pass', findings: [], durationMs: 1, nativeMs: 1, calls: 1 };
const CRASH: CaseResult = {
  ...PASS,
  status: 'crash',
  findings: [{ type: 'pjrt.Crash', level: 'must', message: 'it died', call: 'PJRT_F', requirements: ['ABI-ARGS-002'] }],
};

const judged = (
  result: CaseResult,
  isolation: 'worker' | 'quarantine',
  crumb: { wrong: boolean; refusals: boolean },
): unknown[] => {
  const { status, findings } = withReports(result, sampleCase('a/b:c', { isolation }), [REPORT, REPORT], crumb);
  return [status, ...findings.map(({ level, requirements, call }) => [level, requirements?.[0], call])];
};

const NO = { wrong: false, refusals: false };
const BEFORE = { wrong: false, refusals: true };
const DURING = { wrong: true, refusals: true };

test('a report in permitted calls fails the case, once', () => {
  expect(judged(PASS, 'worker', NO)).toEqual(['fail', ['must', 'HYG-SAN-001', undefined]]);
  expect(judged(PASS, 'quarantine', NO)).toEqual(['fail', ['must', 'HYG-SAN-001', undefined]]);
  expect(judged(CRASH, 'quarantine', BEFORE)).toEqual(['crash', ['must', 'HYG-SAN-001', 'PJRT_F']]);
});

test('an error that every plugin has to return is the answer to a permitted call', () => {
  expect(judged(PASS, 'worker', BEFORE)).toEqual(['fail', ['must', 'HYG-SAN-001', undefined]]);
});

test('arguments that may harm a process must not: who lives after them, warns', () => {
  expect(judged(PASS, 'quarantine', BEFORE)).toEqual(['warn', ['should', 'HYG-SAN-002', undefined]]);
  expect(judged({ ...PASS, status: 'fail' }, 'quarantine', BEFORE)).toEqual([
    'fail',
    ['should', 'HYG-SAN-002', undefined],
  ]);
  expect(judged(CRASH, 'quarantine', DURING)).toEqual(['crash', ['must', 'ABI-ARGS-002', 'PJRT_F']]);
});

test('what was not tried stays so', () => {
  expect(judged({ ...PASS, status: 'skip' }, 'worker', NO)[0]).toBe('skip');
});
