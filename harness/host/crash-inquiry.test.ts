import { expect, test } from 'vitest';
import type { CaseResult } from '../model/case-result.ts';
import type { InvalidAccess } from '../model/invalid-access.ts';
import { conclude, isOpen } from './crash-inquiry.ts';

const crash = (access?: InvalidAccess): CaseResult => ({
  status: 'crash',
  findings: [
    {
      type: 'pjrt.Crash',
      level: 'must',
      message: 'the process died with SIGSEGV in PJRT_X',
      call: 'PJRT_X',
      requirements: ['CLI-NAM-001'],
    },
  ],
  durationMs: 1,
  nativeMs: 0,
  calls: 1,
  inFlight: 'PJRT_X',
  signal: 'SIGSEGV',
  ...(access ? { access } : {}),
});

const OVERRUN: InvalidAccess = { kind: 'overrun', how: 'read', block: 'data', bytes: 24, beyond: 0 };

test('an access beside what the plugin was given needs no repetition; other invalid accesses do', () => {
  expect(
    [OVERRUN, { kind: 'null', offset: 8 } as const, { kind: 'wild' } as const, undefined].map((access) =>
      isOpen(crash(access)),
    ),
  ).toEqual([false, true, true, true]);
  expect(isOpen({ ...crash(), signal: 'SIGABRT' })).toBe(false);
});

test('a crash that happens again is one of the call', () => {
  const wild = crash({ kind: 'wild' });
  expect(conclude(wild, { end: 'same call', result: crash(OVERRUN) }, 'ANY')).toEqual(wild);
});

test('what only the repetition saw counts', () => {
  const seen = { ...crash(OVERRUN), findings: [{ ...crash().findings[0]!, requirements: ['ABI-ARGS-013'] }] };
  expect(conclude(crash(), { end: 'same call', result: seen }, 'ANY')).toMatchObject({
    access: OVERRUN,
    findings: [{ requirements: ['ABI-ARGS-013'] }],
  });
});

test('a crash that does not happen again is sporadic, and no call is blamed for it', () => {
  expect(conclude(crash(), { end: 'survived' }, 'ANY')).toMatchObject({
    sporadic: true,
    findings: [
      {
        type: 'pjrt.Crash',
        message: 'sporadic: the process died with SIGSEGV in PJRT_X',
        detail: expect.stringContaining('did not happen again'),
        requirements: ['ANY'],
      },
    ],
  });
});

test('nor for one that happens in another place', () => {
  const end = conclude(crash(), { end: 'elsewhere', result: crash(OVERRUN) }, 'ANY');
  expect(end).toMatchObject({
    findings: [{ detail: expect.stringContaining('died in a different place'), requirements: ['ANY'] }],
  });
  expect([end.access, end.sporadic]).toEqual([undefined, undefined]);
});
