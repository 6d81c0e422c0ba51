import { expect, test } from 'vitest';
import { blamedRequirement, type End, levelOfWait } from './blamed-requirement.ts';
import { loadRequirements } from './requirements.ts';
import type { Step } from './types.ts';

const blamed = (covers: string[], end: Partial<End>, steps: Partial<Step>[] = []): string =>
  blamedRequirement(
    loadRequirements(),
    { covers, steps: steps as Step[] },
    { call: undefined, line: 1, wrong: false, access: undefined, ...end },
  );

const LOOKUP = { call: 'PJRT_Client_LookupDevice' };

test('the requirement is that of the call, whatever the case is about', () => {
  const about = ['ERR-GEN-002', 'THR-001', 'CLI-LKP-004'];
  expect(blamed(about, { ...LOOKUP, wrong: true })).toBe('CLI-LKP-002');
  expect(blamed(about, LOOKUP)).toBe('CLI-LKP-001');
});

test('of several, the one that the case covers, or its step checks', () => {
  const compile = { call: 'PJRT_Client_Compile', wrong: true };
  expect(blamed(['ERR-GEN-002', 'CMP-SRC-001'], compile)).toBe('CMP-SRC-001');
  const steps: Partial<Step>[] = [{ line: 7, breaks: ['CMP-OPT-004'] }];
  expect(blamed(['CMP-SRC-001', 'CMP-OPT-004'], { ...compile, line: 7 }, steps)).toBe('CMP-OPT-004');
  expect(blamed(['ERR-GEN-002'], compile)).toBe('HYG-END-001');
});

test('what is special about the arguments counts before the call', () => {
  // A call whose arguments may be refused is none that must be.
  for (const wrong of [true, false])
    expect(blamed(['ABI-ARGS-002', 'ABI-ARGS-003'], { ...LOOKUP, wrong })).toBe('ABI-ARGS-003');
  expect(blamed(['ABI-ARGS-001', 'ABI-ARGS-002'], LOOKUP)).toBe('ABI-ARGS-001');
  expect(blamed(['BUF-HOST-022'], { call: 'PJRT_Client_BufferFromHostBuffer', wrong: true })).toBe('BUF-HOST-022');
  expect(blamed(['BUF-HOST-009'], { call: 'PJRT_Client_BufferFromHostBuffer' })).toBe('BUF-HOST-009');
});

test('no requirement on a null argument forbids the end of another call', () => {
  expect(blamed([], { call: 'PJRT_Error_Destroy' })).toBe('HYG-END-001');
  expect(blamed(['ERR-DST-001'], { call: 'PJRT_Error_Destroy' })).toBe('ERR-DST-001');
});

test('an overrun violates what forbids it, in whatever call it shows', () => {
  const overrun = (block: string) => blamed(['BUF-META-001'], { ...LOOKUP, access: { kind: 'overrun', block } });
  expect(['PJRT_X_Args', 'Layouts.PJRT_X_Args', 'data', 'dst'].map(overrun)).toEqual([
    'ABI-ARGS-002',
    'ABI-ARGS-002',
    'ABI-ARGS-013',
    'BUF-D2H-002',
  ]);
});

test('outside a call no function is blamed', () => {
  expect(blamed(['CLI-LKP-001'], {})).toBe('HYG-END-001');
});

test('who waits for ever for what only should come has found no more than that it does not come', () => {
  const level = (call: string | undefined, ...breaks: string[]) =>
    levelOfWait(
      loadRequirements(),
      { level: 'must', steps: [{ line: 3, breaks }] as unknown as Step[] },
      { call, line: 3 },
    );
  expect(level(undefined, 'H2D-DST-002')).toBe('should');
  expect(level('PJRT_Event_Await', 'EVT-SET-004')).toBe('should');
  // A call that does not return is another thing.
  expect(level('PJRT_AsyncHostToDeviceTransferManager_Destroy', 'H2D-DST-002')).toBe('must');
  expect(level('PJRT_Event_Await', 'EVT-AWT-001')).toBe('must');
  expect(level('PJRT_Event_Await', 'EVT-SET-004', 'EVT-AWT-001')).toBe('must');
  expect(level('PJRT_Event_Await')).toBe('must');
});
