import { expect, test } from 'vitest';
import { Abi } from '../abi/index.ts';
import { readBytes } from '../ffi/memory.ts';
import { CallerStructs } from './caller-structs.ts';
import { StructView } from './struct-view.ts';

const abi = Abi.at(114);
const block = (name: string) => {
  const layout = abi.struct(name);
  return new StructView(layout, new DataView(new ArrayBuffer(layout.size)));
};

test('two unknown nodes hang on arguments that have a place for extensions', () => {
  const call = block('PJRT_Plugin_Attributes_Args');
  new CallerStructs({ newer: true }).attach(call);
  const types: number[] = [];
  for (let node = call.word('extension_start'); node !== 0n; ) {
    const bytes = new DataView(Uint8Array.from(readBytes(node, 24)).buffer);
    expect(bytes.getBigUint64(0, true)).toBe(24n);
    types.push(bytes.getInt32(8, true));
    node = bytes.getBigUint64(16, true);
  }
  expect(types).toEqual([9998, 9999]);
});

test('structs that say their size are longer, others are not', () => {
  const future = new CallerStructs({ newer: true });
  expect(future.extraBytes(abi.struct('PJRT_Plugin_Attributes_Args'))).toBe(64);
  const unsized = abi.structNames.map((n) => abi.struct(n)).find((s) => s.fields[0]?.name !== 'struct_size');
  expect(unsized && future.extraBytes(unsized)).toBe(0);
});

test('a caller of 0.67 declares 24 bytes of attributes, as the headers before 0.72 did by mistake', () => {
  const layout = Abi.at(67).struct('PJRT_Plugin_Attributes_Args');
  expect(new CallerStructs({ minor: 67 }).declared(layout)).toBe(24);
  expect(new CallerStructs({}).declared(layout)).toBe(32);
});
