import { expect, test } from 'vitest';
import { Abi, NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import { formOf } from './call-forms.ts';
import type { CaseContext } from './context.ts';

const abi = Abi.at(NEWEST_MINOR);
const context = { api: { abi, pluginAbi: abi, version: { minor: NEWEST_MINOR } } } as unknown as CaseContext;
const form = (name: string, more: object) => formOf(context, { verb: 'valid-call', function: name, ...more });

test('sizes of structs that newer and careless callers send', () => {
  const { size } = abi.argsOf('PJRT_Client_Compile');
  expect(form('PJRT_Client_Compile', { struct: 'larger' })).toMatchObject({ structSize: size + 64 });
  expect(form('PJRT_Client_Compile', { struct: 'two-words' })).toMatchObject({ structSize: 16 });
  expect(form('PJRT_Client_Compile', { struct: 'cut-off' })?.layout?.size).toBe(16);
});

test('a function may lack a form, and the usual one is none', () => {
  expect(() => form('PJRT_Client_Compile', { struct: 'padded' })).toThrow('no padding');
  expect(form('PJRT_Client_Compile', {})).toBeUndefined();
});
