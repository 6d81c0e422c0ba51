import { expect, test } from 'vitest';
import type { CallTrace } from '../model/case-result.ts';
import { crashResult, timeoutResult } from './blame.ts';
import { PHASE } from './wire/breadcrumb-layout.ts';
import type { Death } from './worker-process.ts';

const testCase = { level: 'must', requirement: 'A-001' } as const;

const back = (call: string) => ({ call, answer: 'OK', durationMs: 1 });

const death = (calls: CallTrace['calls'], crumb: Partial<NonNullable<Death['crumb']>> = {}): Death => ({
  signal: 'SIGSEGV',
  exitCode: undefined,
  crumb: {
    caseNumber: 1,
    line: 3,
    call: 'PJRT_X',
    phase: PHASE.call,
    calls: 9,
    pending: undefined,
    inner: undefined,
    untried: [],
    closed: false,
    exited: undefined,
    wrong: false,
    refusals: false,
    damaged: false,
    ...crumb,
  },
  trace: { before: 7, calls },
  ended: undefined,
  channel: undefined,
  fault: undefined,
  killedFor: undefined,
  missed: undefined,
  stillAlive: false,
  backtrace: undefined,
  memory: undefined,
});

const endsOf = (of: Death): (string | undefined)[] =>
  [crashResult(of, 1, testCase), timeoutResult(of, 1, testCase)].map(({ trace }) => trace?.calls.at(-1)?.answer);

test('the call in which the process died or hung is marked', () => {
  const { trace, inFlight } = crashResult(death([back('PJRT_X'), { call: 'PJRT_X' }]), 1, testCase);
  expect(inFlight).toBe('PJRT_X');
  expect(trace).toEqual({ before: 7, calls: [back('PJRT_X'), { call: 'PJRT_X', answer: 'DEATH' }] });
  expect(endsOf(death([{ call: 'PJRT_X' }]))).toEqual(['DEATH', 'HANG']);
});

test('so is the last one on another thread if none is in progress on this one', () => {
  const waiting = { phase: PHASE.harness, pending: 'PJRT_Event_Await' };
  const calls = [{ call: 'PJRT_Event_Await' }, back('PJRT_X'), { call: 'PJRT_Event_Await' }];
  expect(crashResult(death(calls, waiting), 1, testCase).trace?.calls.map(({ answer }) => answer)).toEqual([
    undefined,
    'OK',
    'DEATH',
  ]);
});

test('a call that has returned, or is not the one in progress, is not blamed', () => {
  expect(endsOf(death([back('PJRT_X')], { phase: PHASE.reading }))).toEqual(['OK', 'OK']);
  expect(endsOf(death([{ call: 'PJRT_Y' }]))).toEqual([undefined, undefined]);
  expect(endsOf(death([{ call: 'PJRT_X' }], { closed: true }))).toEqual([undefined, undefined]);
  expect(crashResult({ ...death([]), trace: undefined }, 1, testCase)).not.toHaveProperty('trace');
});
