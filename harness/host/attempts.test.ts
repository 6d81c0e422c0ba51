import { expect, test } from 'vitest';
import type { CaseResult } from '../model/case-result.ts';
import type { Finding } from '../model/finding.ts';
import type { Status } from '../model/status.ts';
import { attemptOf, nextAttempt, settled, type Try } from './attempts.ts';

const wrong = (message: string): Finding => ({ type: 'pjrt.WrongValue', level: 'must', message });

/** Attempts with these statuses; those after a `+` were reruns. */
function tries(...ends: string[]): Try[] {
  return ends.map((end, at) => {
    const status = end.replace('+', '') as Status;
    const violated = ['fail', 'crash', 'timeout'].includes(status);
    const findings = violated ? [{ ...wrong('noted'), level: 'info' as const }, wrong(`${end} ${at}`)] : [];
    const result: CaseResult = { status, findings, durationMs: at, nativeMs: 0, calls: 0 };
    const why = end.startsWith('+') ? 'rerun' : at > 0 ? 'repeat' : undefined;
    return { result, attempt: attemptOf(result, { worker: at, atMs: at, why }) };
  });
}

const fails = ({ status }: CaseResult): boolean => ['fail', 'crash', 'timeout'].includes(status);

test.each<[string[], Status, string | undefined]>([
  [['pass', 'pass'], 'pass', undefined],
  [['pass', 'fail'], 'flaky', 'fail 1'],
  [['fail', '+pass'], 'flaky', 'fail 0'],
  [['fail', 'pass', 'crash', 'crash'], 'flaky', 'crash 2'],
  [['warn', 'timeout'], 'flaky', 'timeout 1'],
  [['fail', 'fail'], 'fail', 'fail 0'],
  [['fail', '+crash'], 'crash', '+crash 1'],
  [['timeout', 'fail'], 'timeout', 'timeout 0'],
  [['pass', 'warn'], 'warn', undefined],
  [['pass', 'unsupported'], 'unsupported', undefined],
  // It never passed.
  [['unsupported', 'fail'], 'fail', 'fail 1'],
  // An internal error says nothing about the plugin.
  [['fail', 'pass', 'error'], 'error', undefined],
])('%j results in %s', (ends, status, finding) => {
  const result = settled(tries(...ends));
  expect(result.status).toBe(status);
  expect(result.findings.find(({ level }) => level === 'must')?.message).toBe(finding);
  expect(result.attempts?.map((attempt) => attempt.status)).toEqual(ends.map((end) => end.replace('+', '')));
});

test('a single attempt is returned unchanged', () => {
  const [only] = tries('fail');
  expect(settled([only!])).toBe(only!.result);
});

test('the record of an attempt has its most severe finding', () => {
  expect(tries('fail', '+fail').map(({ attempt }) => attempt)).toEqual([
    { status: 'fail', worker: 0, atMs: 0, durationMs: 0, finding: wrong('fail 0') },
    { status: 'fail', why: 'rerun', worker: 1, atMs: 1, durationMs: 1, finding: wrong('+fail 1') },
  ]);
});

test.each<[string[], number, number, 'repeat' | 'rerun' | undefined]>([
  [['pass'], 1, 0, undefined],
  [['fail'], 1, 0, undefined],
  [['pass'], 3, 0, 'repeat'],
  [['fail', 'pass'], 3, 0, 'repeat'],
  [['pass', 'pass', 'pass'], 3, 0, undefined],
  [['fail'], 1, 2, 'rerun'],
  [['fail', '+fail'], 1, 2, 'rerun'],
  [['fail', '+fail', '+fail'], 1, 2, undefined],
  [['fail', '+pass'], 1, 2, undefined],
  [['pass'], 1, 2, undefined],
  // A case that is flaky already needs no rerun.
  [['fail', 'pass'], 2, 2, undefined],
  [['fail', 'crash'], 2, 2, 'rerun'],
  // Nothing was tested.
  [['skip'], 3, 2, undefined],
  [['error'], 3, 2, undefined],
])('after %j with --repeat %i --rerun-failed %i: %s', (ends, repeat, rerunFailed, why) => {
  expect(nextAttempt(tries(...ends), { repeat, rerunFailed }, fails)).toBe(why);
});
