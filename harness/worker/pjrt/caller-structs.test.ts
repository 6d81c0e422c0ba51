import { expect, test } from 'vitest';
import { Abi } from '../../knowledge/abi/index.ts';
import { Arena, readBytes, writeBytes } from '../ffi/memory.ts';
import { CallerStructs } from './caller-structs.ts';
import { StructView } from './struct-view.ts';

const abi = Abi.at(114);
const block = (name: string) => {
  const layout = abi.struct(name);
  return new StructView(layout, new DataView(new ArrayBuffer(layout.size)));
};

test('two unknown extension nodes are chained to arguments that have a place for extensions', () => {
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

test('structs with a size field are longer, others are not', () => {
  const future = new CallerStructs({ newer: true });
  expect(future.extraBytes(abi.struct('PJRT_Plugin_Attributes_Args'))).toBe(64);
  const unsized = abi.structNames.map((n) => abi.struct(n)).find((s) => s.fields[0]?.name !== 'struct_size');
  expect(unsized && future.extraBytes(unsized)).toBe(0);
});

test('a consumer of 0.67 declares 24 bytes of attributes, a mistake of the headers before 0.72', () => {
  const layout = Abi.at(67).struct('PJRT_Plugin_Attributes_Args');
  expect(new CallerStructs({ minor: 67 }).declared(layout)).toBe(24);
  expect(new CallerStructs({}).declared(layout)).toBe(32);
});

test('writes into parts that the plugin cannot know are detected', () => {
  const future = new CallerStructs({ newer: true });
  const layout = abi.struct('PJRT_Plugin_Attributes_Args');
  const bytes = new Uint8Array(layout.size + 64);
  const before = future.watch(layout, bytes);
  bytes[layout.size - 1] = 1;
  expect(future.trespass(layout, bytes, before)).toBeUndefined();
  bytes[bytes.length - 1] = 1;
  expect(future.trespass(layout, bytes, before)).toMatchObject({ requirement: 'ABI-ARGS-002' });
  // A plugin newer than the tables may know the fields beyond.
  expect(new CallerStructs({ newer: true }, { complete: false }).watch(layout, bytes)).toBeUndefined();
});

test('the unknown nodes are checked and restored', () => {
  const future = new CallerStructs({ newer: true });
  const call = block('PJRT_Plugin_Attributes_Args');
  future.attach(call);
  writeBytes(call.word('extension_start') + 16n, new Uint8Array(8));
  const bytes = new Uint8Array(96);
  const before = future.watch(call.layout, bytes);
  expect(future.trespass(call.layout, bytes, before)).toMatchObject({ requirement: 'ABI-ARGS-007' });
  expect(future.trespass(call.layout, bytes, before)).toBeUndefined();
});

test('structs besides the arguments end at a guard page if the consumer has another version', () => {
  const end = (structs: CallerStructs) => {
    const { address } = structs.allocate(new Arena(), 72, 'PJRT_ExecuteOptions');
    return (address + 72n) % 4096n;
  };
  expect(end(new CallerStructs({ minor: 60 }))).toBe(0n);
  expect(end(new CallerStructs({ newer: true }))).toBe(0n);
  expect(end(new CallerStructs({}))).not.toBe(0n);
});
