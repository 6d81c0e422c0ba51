import type { Field, StructLayout } from '../../knowledge/abi/index.ts';
import { valueTypeOf } from '../../knowledge/abi/value-type.ts';
import { elementCount, isHostArray } from '../../knowledge/numerics/array.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import { describe, fits, type NameType, takes } from '../../suite/field-values.ts';
import type { CompileOptions } from '../../suite/types.ts';
import { harmlessFunction } from '../ffi/libc.ts';
import type { Block } from '../ffi/memory.ts';
import { makeLayout, POISON } from '../pjrt/buffer.ts';
import { compareCanary, fillCanary } from '../pjrt/canary.ts';
import { NativeObject } from '../pjrt/handle.ts';
import { makeNamedValues } from '../pjrt/named-values.ts';
import type { StructView } from '../pjrt/struct-view.ts';
import { compileOptions } from './compile-options.ts';
import type { CaseContext } from './context.ts';
import { deviceBytes, type Piece, pieceOf } from './device-bytes.ts';
import { NotSupported, SuiteFault } from './outcome.ts';
import { suiteOptions } from './suite-options.ts';

/** Room that a call may write into: poisoned, with a canary behind it. */
export interface Room {
  field: string;
  block: Block;
  bytes: number;
}

/**
 * Writes suite arguments into a struct by field name (the value language of `call`, docs/writing-suites.md).
 * @returns the allocated memory, to be read and checked after the call
 */
export function writeArguments(
  context: CaseContext,
  view: StructView,
  values: Readonly<Record<string, unknown>>,
): Room[] {
  const rooms: Room[] = [];
  for (const [name, value] of Object.entries(values)) {
    writeField(context, view, view.layout.field(name), value, values, rooms);
  }
  return rooms;
}

/** Whether every room's canary is whole; the name of the first damaged one otherwise. */
export const overrunRoom = (rooms: readonly Room[]): Room | undefined =>
  rooms.find((r) => !compareCanary(r.block, r.bytes));

function writeField(
  context: CaseContext,
  view: StructView,
  field: Field,
  value: unknown,
  siblings: Readonly<Record<string, unknown>>,
  rooms: Room[],
): void {
  const { arena } = context;
  const { name } = field;
  const count = (n: number): void => {
    if (field.count === undefined || field.count in siblings || view.layout.field(field.count).depth > 0) return;
    view.setSize(field.count, n);
  };
  if (typeof value === 'string' && value.startsWith('$')) {
    writeResolved(context, view, field, context.resolve(value), count);
  } else if (typeof value === 'string' && field.depth > 0) {
    const text = arena.text(value);
    view.setWord(name, text.address);
    count(text.length);
  } else if (value === null) view.setWord(name, 0n);
  else if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') {
    writeScalar(context, view, field, value);
  } else if (Array.isArray(value)) {
    view.setWord(name, listAddress(context, field, value, rooms));
    count(value.length);
  } else if (isRecord(value)) {
    const size = sizeIn(context, value);
    // A suite's own numbers were checked when it was read.
    if (size !== undefined && field.depth === 0 && !fits(valueTypeOf(context.api.abi, field), size))
      throw new NotSupported(`no ${field.type} is ${size}: what the plugin gives leaves no number for ${name}`);
    const number = size ?? enumIn(context, field, value);
    const form = Object.keys(FORMS).find((key) => key in value);
    if (number !== undefined) writeScalar(context, view, field, number);
    else if ('raw' in value) writeRaw(context, view, field, value.raw);
    else if (form !== undefined) {
      const { address, length } = FORMS[form]!(context, value, name);
      view.setWord(name, address);
      if (length !== undefined) count(length);
    } else if ('room' in value || 'elements' in value) {
      const bytes = 'room' in value ? Number(value.room) : elementRoom(context, field, value.elements);
      const block = arena.room(bytes, name, { after: 64, align: 64 });
      block.bytes.fill(POISON);
      fillCanary(block, bytes);
      rooms.push({ field: name, block, bytes });
      view.setWord(name, block.address);
    } else if ('struct' in value) writeStruct(context, view, field, value, rooms);
    else throw new SuiteFault(`a value of ${name} has none of the keys that the language has for it`);
  } else throw new SuiteFault(`the value of ${name} cannot be written`);
}

/** Values that become memory, or the address of something, by their key; with a length, if a field counts it. */
const FORMS: Readonly<
  Record<
    string,
    (context: CaseContext, value: Record<string, unknown>, name: string) => { address: bigint; length?: number }
  >
> = {
  bytes: (context, { bytes }, name) =>
    input(context, Uint8Array.from(Buffer.from(String(bytes).replace(/\s|0x/g, ''), 'hex')), name),
  damaged: (context, { damaged, how }, name) =>
    input(context, damage(context.resolve(String(damaged)), how as string | number), name),
  compileOptions: (context, value, name) =>
    input(context, compileOptions(context, value.compileOptions as CompileOptions), name),
  deviceBytesOf: (context, value, name) => input(context, sentOf(context, value.deviceBytesOf, value).part, name),
  layoutOf: (context, { layoutOf }) => {
    const { shape } = context.data(String(layoutOf));
    return { address: makeLayout(context.api, context.arena, shape.map((_, i) => i).toReversed()) };
  },
  callback: (_, { callback }) => ({ address: callbackAddress(String(callback)) }),
  named: ({ api, arena }, { named }) => {
    const { address, count } = makeNamedValues(api, arena, suiteOptions(named as Record<string, unknown>));
    return { address, length: count };
  },
};

/** An array, or a piece of it, as it is sent to the device. */
function sentOf(context: CaseContext, reference: unknown, { piece = 0, pieces = 1 }: Partial<Piece>) {
  const data = context.data(String(reference));
  return pieceOf(data, deviceBytes(context, data), { piece, pieces });
}

const input = ({ arena }: CaseContext, bytes: Uint8Array, name: string) => ({
  address: arena.input(bytes, name).address,
  length: bytes.length,
});

function writeResolved(
  context: CaseContext,
  view: StructView,
  field: Field,
  value: unknown,
  count: (n: number) => void,
): void {
  const type = valueTypeOf(context.api.abi, field);
  const given = typeOfResolved(value);
  if (given && !takes(type, given))
    throw new SuiteFault(`${field.name} takes ${describe(type)}, not ${describe(given)}`);
  if (value === undefined || value === null) view.setWord(field.name, 0n);
  else if (typeof value === 'bigint') {
    if (field.size === 8) view.setWord(field.name, value);
    else view.setInt(field.name, Number(value));
  } else if (isHostArray(value)) view.setWord(field.name, context.arena.input(value.bytes, field.name).address);
  else if (value instanceof Uint8Array) {
    view.setWord(field.name, context.arena.input(value, field.name).address);
    count(value.length);
  } else if (Array.isArray(value)) {
    view.setWord(field.name, listAddress(context, field, value));
    count(value.length);
  } else if (typeof value === 'object' && 'pointer' in value) view.setWord(field.name, value.pointer as bigint);
  else if (typeof value === 'string') {
    const text = context.arena.text(value);
    view.setWord(field.name, text.address);
    count(text.length);
  } else writeScalar(context, view, field, value as number | boolean);
}

/** What a reference gives, as far as that can be wrong for a field. */
function typeOfResolved(value: unknown): NameType | undefined {
  if (typeof value === 'string') return { kind: 'text' };
  if (isHostArray(value)) return { kind: 'array' };
  if (!(value instanceof NativeObject) || !value.kind.startsWith('PJRT_')) return undefined;
  return { kind: 'object', of: value.kind, fields: false, counted: false };
}

/** Bytes of room for so many elements of the type of a field. */
function elementRoom(context: CaseContext, field: Field, elements: unknown): number {
  const count = isRecord(elements) ? sizeIn(context, elements) : Number(elements);
  return Number(count) * (context.api.abi.integerBytes(field.base) ?? 1);
}

const JUNK = Uint8Array.from({ length: 64 }, (_, i) => (i * 37 + 0xc3) & 0xff);

/** A damaged copy of bytes that the plugin wrote. */
export function damage(bytes: unknown, how: string | number): Uint8Array {
  if (!(bytes instanceof Uint8Array)) throw new SuiteFault('only bytes can be damaged');
  if (typeof how === 'number') return bytes.slice(0, how);
  const made = Object.hasOwn(DAMAGES, how) ? DAMAGES[how]!(bytes) : undefined;
  if (!made) throw new SuiteFault(`bytes are damaged by ${Object.keys(DAMAGES).join(', ')} or a number, not by ${how}`);
  return made;
}

const DAMAGES: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  junk: () => JUNK,
  zeros: ({ length }) => new Uint8Array(length),
  truncated: (bytes) => bytes.slice(0, Math.floor(bytes.length / 2)),
  'all-but-one': (bytes) => bytes.slice(0, -1),
};

function listOf(context: CaseContext, reference: string): readonly unknown[] {
  const list = context.resolve(reference);
  if (!Array.isArray(list)) throw new SuiteFault(`${reference} is not a list`);
  return list;
}

/** Functions that compute a number, by key. */
const SIZES: Readonly<
  Record<string, (context: CaseContext, reference: string, value: Readonly<Record<string, unknown>>) => number>
> = {
  lengthOf: (context, reference) => listOf(context, reference).length,
  greatestOf: (context, reference) => Math.max(...(listOf(context, reference) as number[])),
  bytesOf: (context, reference) => context.data(reference).bytes.length,
  packedBytesOf: (context, reference) => {
    const { dtype: type, shape } = context.data(reference);
    return Math.ceil((elementCount(shape) * type.bits) / 8);
  },
  deviceOffsetOf: (context, reference, piece) => sentOf(context, reference, piece).from,
};

/** The number that `{lengthOf: $list}` and the like stand for; undefined for anything else. */
export function sizeIn(context: CaseContext, value: Readonly<Record<string, unknown>>): number | undefined {
  const [key] = Object.keys(value);
  if (key === undefined || !Object.hasOwn(SIZES, key)) return undefined;
  return SIZES[key]!(context, String(value[key]), value) + Number(value.plus ?? 0);
}

/** Suites are checked before they run; what only a reference gives is checked here, so that no plugin is blamed for it. */
function writeScalar({ api }: CaseContext, view: StructView, field: Field, value: number | boolean | string): void {
  if (![1, 4, 8].includes(field.size)) throw new SuiteFault(`${field.name} is a ${field.type}; use {struct: …}`);
  const type = valueTypeOf(api.abi, field);
  if (!fits(type, value) && !(type.kind === 'enum' && Number.isInteger(value)))
    throw new SuiteFault(`${field.name} is a ${field.type}, which cannot hold ${value}`);
  view.set({ [field.name]: field.size === 8 ? BigInt(value) : typeof value === 'string' ? Number(value) : value });
}

/** The low bytes of an integer, whatever the type of the field. */
function writeRaw(context: CaseContext, view: StructView, field: Field, raw: unknown): void {
  const bits = BigInt((typeof raw === 'string' && raw.startsWith('$') ? context.resolve(raw) : raw) as string | number);
  const bytes = view.fieldBytes(field.name);
  bytes.forEach((_, i) => {
    bytes[i] = Number((bits >> BigInt(8 * i)) & 0xffn);
  });
}

function listAddress(context: CaseContext, field: Field, list: readonly unknown[], rooms: Room[] = []): bigint {
  const { arena } = context;
  const values = list.map((v) => (typeof v === 'string' && v.startsWith('$') ? context.resolve(v) : v));
  if (values.length > 0 && values.every((v) => isRecord(v) && 'struct' in v))
    return structArray(context, values as { struct: string }[], rooms);
  if (values.some((v) => typeof v === 'object' || typeof v === 'bigint')) {
    return arena.pointers(
      values.map((v) =>
        v === null || v === undefined ? 0n : typeof v === 'bigint' ? v : (v as { pointer: bigint }).pointer,
      ),
    ).address;
  }
  if (values.some((v) => typeof v === 'string'))
    return arena.pointers(values.map((v) => arena.text(String(v)).address)).address;
  if (context.api.abi.integerBytes(field.base) === 4) {
    const block = arena.alloc(Math.max(4, values.length * 4), 8);
    values.forEach((v, i) => {
      block.view.setInt32(i * 4, Number(v), true);
    });
    return block.address;
  }
  return arena.int64s(values as number[], field.name).address;
}

function structArray(
  context: CaseContext,
  values: readonly { struct: string; with?: Record<string, unknown> }[],
  rooms: Room[],
): bigint {
  const array = context.api.make(context.arena, values[0]!.struct, values.length);
  values.forEach((v, i) => {
    rooms.push(...writeArguments(context, array.at(i), v.with ?? {}));
  });
  return array.address;
}

function writeStruct(
  context: CaseContext,
  view: StructView,
  field: Field,
  value: { struct?: unknown; with?: unknown },
  rooms: Room[],
): void {
  const name = String(value.struct);
  const fields = (value.with ?? {}) as Record<string, unknown>;
  if (field.depth > 0) {
    const struct = context.api.make(context.arena, name);
    rooms.push(...writeArguments(context, struct.at(0), fields));
    view.setWord(field.name, struct.address);
  } else {
    const layout: StructLayout = context.api.struct(name);
    const nested = view.nested(field.name, layout);
    nested.reset();
    rooms.push(...writeArguments(context, nested, fields));
  }
}

/** A callback by name; `ignore` is the only one, because what it would have to say is for probes. */
function callbackAddress(name: string): bigint {
  if (name === 'ignore') return harmlessFunction();
  throw new SuiteFault(`there is no callback ${name}; there is: ignore`);
}

/** The number that `{enum: NAME}` or `{dtype: NAME}` stands for in the version that the harness acts as; else undefined. */
export function enumIn(
  { api: { abi } }: CaseContext,
  { type, holds = type }: Field,
  value: Readonly<Record<string, unknown>>,
): number | undefined {
  if ('dtype' in value) return abi.enumValue('PJRT_Buffer_Type', dtype(String(value.dtype)).enumName);
  if (!('enum' in value)) return undefined;
  const name = String(value.enum);
  const prefix = abi.enumPrefix(holds);
  return abi.enumValue(holds, name.startsWith(prefix) ? name : `${prefix}${name}`);
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Uint8Array) &&
  !('pointer' in value);
