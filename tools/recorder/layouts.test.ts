import { expect, test } from 'vitest';
import { Abi, NEWEST_MINOR, OLDEST_MINOR } from '../../harness/knowledge/abi/index.ts';
import { copiedFields, recorderLayouts, wrappedFunctions } from './layouts.ts';

/** Structs that are not copied field by field, and why. */
const MOVED = ['PJRT_ProcessInfo', 'PJRT_Extension_Base'];

test('every function of the API table is wrapped, in its order', () => {
  const core = wrappedFunctions().filter(({ extension }) => extension === undefined);
  expect(core.map(({ name }) => name)).toEqual(Abi.at(NEWEST_MINOR).functions);
});

test('layouts of older versions are beginnings of those that the recorder uses', () => {
  const newest = Abi.at(NEWEST_MINOR);
  for (let minor = OLDEST_MINOR; minor < NEWEST_MINOR; minor++) {
    const abi = Abi.at(minor);
    for (const name of abi.structNames) {
      if (MOVED.includes(name) || name === 'PJRT_Api' || !newest.hasStruct(name)) continue;
      const places = ({ fields }: { fields: readonly { offset: number; size: number }[] }) =>
        fields.map(({ offset, size }) => `${offset}+${size}`);
      const old = places(abi.struct(name));
      expect(places(newest.struct(name)).slice(0, old.length), `${name} of 0.${minor}`).toEqual(old);
    }
  }
});

test('memory behind pointers: texts, lists of lists, structs; never what a call writes to later', () => {
  const kinds = (fn: string) =>
    Object.fromEntries(copiedFields(Abi.at(NEWEST_MINOR).argsOf(fn)).map(({ field, kind }) => [field.name, kind]));
  expect(kinds('PJRT_LoadedExecutable_Execute')).toMatchObject({ argument_lists: 'Lists', options: 'Struct' });
  expect(kinds('PJRT_Client_Compile')).toEqual({ program: 'Struct', compile_options: 'Array' });
  expect(kinds('PJRT_Executable_ParameterMemoryKinds')).toMatchObject({ memory_kinds: 'Texts' });
  expect(kinds('PJRT_Buffer_ToHostBuffer')).toEqual({ host_layout: 'Struct' });
  expect(kinds('PJRT_Error_Destroy')).toEqual({});
});

test('only functions that return an error have one', () => {
  expect(recorderLayouts()).toMatch(/\{"PJRT_Error_Destroy", \d+, \d+, -1, 31, false\}/);
  expect(recorderLayouts()).toMatch(/\{"PJRT_Event_Await", \d+, \d+, -1, 31, true\}/);
});
