import { expect, test } from 'vitest';
import { explains } from './explains.ts';

const failure = (requirement: string, call?: string) => ({ requirements: [requirement], call });

test('a deviation explains failures of its requirement, in the call that it or its cases name', () => {
  const plain = { cases: 'execute/errors:deleted-executable', requirement: 'LEX-DEL-003' };
  expect(explains(plain, failure('LEX-DEL-003', 'PJRT_LoadedExecutable_Execute'))).toBe(true);
  expect(explains(plain, failure('LEX-DEL-002', 'PJRT_LoadedExecutable_IsDeleted'))).toBe(false);
  const older = {
    cases: 'abi/arguments:older-struct[function=PJRT_Executable_GetCompiledMemoryStats]',
    requirement: 'ABI-ARGS-002',
  };
  expect(explains(older, failure('ABI-ARGS-002', 'PJRT_Executable_GetCompiledMemoryStats'))).toBe(true);
  expect(explains(older, failure('ABI-ARGS-002', 'PJRT_Client_Compile'))).toBe(false);
  const named = { ...plain, call: 'PJRT_LoadedExecutable_Execute' };
  expect(explains(named, failure('LEX-DEL-003', 'PJRT_LoadedExecutable_Execute'))).toBe(true);
  expect(explains(named, failure('LEX-DEL-003', 'PJRT_Buffer_Destroy'))).toBe(false);
});

test('a deviation on a thread of the plugin explains no death in a call', () => {
  const thread = { cases: 'asynchrony/errors:copied-argument[via=alias]', requirement: 'HYG-END-001' };
  expect(explains(thread, failure('HYG-END-001'))).toBe(true);
  expect(explains(thread, failure('HYG-END-001', 'PJRT_Buffer_Delete'))).toBe(false);
  expect(explains({ ...thread, call: 'PJRT_Buffer_Delete' }, failure('HYG-END-001', 'PJRT_Buffer_Delete'))).toBe(true);
});
