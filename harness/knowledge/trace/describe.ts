/** Arguments of recorded calls as plain values, for JSON. */

import { builtinSize } from '../abi/c-type.ts';
import { Abi, extensionStruct, type Field, type StructLayout } from '../abi/index.ts';
import type { RecordedStruct } from './arguments.ts';
import type { Memory } from './format.ts';
import { RecordedObjects } from './objects.ts';

/** What the description of a call depends on besides its bytes. */
export interface Describing {
  minor: number;
  /** Name of an object: `Buffer#12`. */
  object(type: string, address: bigint, field: Field): string;
}

/** Names objects as a process has made them, in the order in which they are described. */
export const describing = (minor: number, objects: RecordedObjects): Describing => ({
  minor,
  object: (type, address, field) =>
    RecordedObjects.makes(field) ? objects.made(type, address) : objects.at(type, address),
});

/** The inputs of a call, or its outputs. */
export function describeFields(
  struct: RecordedStruct,
  which: 'inputs' | 'outputs',
  about: Describing,
): Record<string, unknown> {
  const fields = struct.layout.fields.filter(
    (field) => (field.out || field.unmarked === true) === (which === 'outputs'),
  );
  return described(struct, fields, about, 0);
}

/** Deeper structs than the C API has would be a circle. */
const DEEPEST = 6;

function described(
  struct: RecordedStruct,
  fields: readonly Field[],
  about: Describing,
  depth: number,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    if (HEAD.has(field.name) || !struct.has(field.name)) continue;
    const value = fieldValue(struct, field, about, depth);
    if (value !== undefined) values[field.name] = value;
  }
  return values;
}

/** No struct of the C API has less than a word. */
const SMALLEST = 8;

const HEAD: ReadonlySet<string> = new Set(['struct_size', 'extension_start', 'priv']);

function fieldValue(struct: RecordedStruct, field: Field, about: Describing, depth: number): unknown {
  if (field.union) return undefined;
  const { base, depth: pointers, count, content } = field;
  const abi = Abi.at(about.minor);
  if (pointers === 0) {
    const layout = layoutOf(base, abi);
    if (layout) return depth > DEEPEST ? undefined : nested(struct.within(layout, struct.slice(field)), about, depth);
    return scalar(struct, field, abi);
  }
  const address = struct.word(field.name);
  if (address === 0n) return null;
  const memory = struct.at(address);
  const layout = layoutOf(base, abi);
  if (pointers === 1 && layout && isStruct(base)) {
    if (!memory?.data || depth > DEEPEST) return hex(address);
    if (count === undefined) return nested(struct.within(layout, memory.data), about, depth);
    // The recorder copies whole structs, as far apart as the caller has them.
    const length = struct.layout.has(count) ? struct.number(count) : 0;
    if (length === 0) return [];
    const stride = Math.floor(memory.data.length / length);
    if (stride < SMALLEST) return hex(address);
    return Array.from({ length }, (_, i) =>
      nested(struct.within(layout, memory.data!.subarray(i * stride, (i + 1) * stride)), about, depth),
    );
  }
  if (pointers === 1 && base.startsWith('PJRT_') && !abi.enumTypes.includes(base))
    return about.object(base, address, field);
  if (base === 'void' || base === 'fn') return memory ? contents(memory) : hex(address);
  if (!memory) return hex(address);
  if (content === 'text' || content === 'terminated') {
    if (pointers === 1) return memory.data?.toString('utf8') ?? contents(memory);
    return struct.words(address).map((word) => struct.at(word)?.data?.toString('utf8') ?? null);
  }
  if (content === 'bytes') return contents(memory);
  if (pointers === 1) return elements(memory, abi.integerBytes(base) ?? builtinSize(base)?.size ?? 1, base);
  const inner = (word: bigint): unknown => (word === 0n ? null : about.object(base, word, field));
  const lists = struct.words(address);
  if (pointers === 2) return base.startsWith('PJRT_') ? lists.map(inner) : lists.map(hex);
  return lists.map((list) => struct.words(list).map(inner));
}

/** Handles have structs too since 0.105, with nothing but a table of functions. */
const isStruct = (base: string): boolean =>
  base !== 'PJRT_Error' && base !== 'PJRT_Memory' && !base.endsWith('FunctionTable');

function nested(struct: RecordedStruct, about: Describing, depth: number): unknown {
  if (struct.layout.name === 'PJRT_NamedValue') return namedValue(struct);
  return described(struct, struct.layout.fields, about, depth + 1);
}

/** `{name, value}`; a value that the record lacks is null. */
function namedValue(struct: RecordedStruct): { name: string | undefined; value: unknown } {
  const name = struct.text('name');
  const kind = struct.number('type');
  const at = struct.layout.field('string_value');
  const word = struct.slice({ offset: at.offset, size: 8 });
  // A list may be said to have more elements than it has room for.
  if (word.length < 8) return { name, value: null };
  const address = word.readBigUInt64LE(0);
  const data = struct.at(address)?.data;
  const values = [
    () => (struct.number('value_size') === 0 ? '' : (data?.toString('utf8') ?? null)),
    () => whole(word.readBigInt64LE(0)),
    () => (data ? elements({ data } as Memory, 8, 'int64_t') : null),
    () => word.readFloatLE(0),
    () => word[0] !== 0,
  ];
  return { name, value: values[kind]?.() ?? null };
}

function scalar(struct: RecordedStruct, field: Field, abi: Abi): unknown {
  const { base, holds = base, name, type } = field;
  if (type === 'bool') return struct.word(name) !== 0n;
  if (type === 'float' || type === 'double') return struct.float(name);
  if (abi.enumTypes.includes(holds)) {
    const named = abi.enumNames(holds).get(struct.number(name));
    return named?.slice(abi.enumPrefix(holds).length) ?? struct.number(name);
  }
  if (base === 'fn' || abi.callbacks.has(base)) return struct.word(name) === 0n ? null : hex(struct.word(name));
  return abi.integerBytes(base) === undefined ? undefined : whole(struct.word(name));
}

function elements({ data, ...rest }: Memory, size: number, base: string): unknown {
  if (!data) return contents(rest as Memory);
  const one = (i: number): unknown => {
    if (base === 'float') return data.readFloatLE(4 * i);
    if (base === 'double') return data.readDoubleLE(8 * i);
    if (size === 8)
      return whole(
        base.startsWith('u') || base === 'size_t' ? data.readBigUInt64LE(8 * i) : data.readBigInt64LE(8 * i),
      );
    return size === 4 ? data.readInt32LE(4 * i) : data.readUIntLE(size * i, size);
  };
  return Array.from({ length: Math.floor(data.length / size) }, (_, i) => one(i));
}

/** What is known of memory whose bytes are not shown. */
const contents = ({ bytes, form, name }: Memory): Record<string, unknown> => ({
  bytes,
  ...(form === 'blob' ? { blob: name } : form === 'hash' ? { hash: name } : {}),
});

function layoutOf(base: string, abi: Abi): StructLayout | undefined {
  if (!base.startsWith('PJRT_')) return undefined;
  if (abi.hasStruct(base)) return abi.struct(base);
  try {
    return extensionStruct(base);
  } catch {
    return undefined;
  }
}

const hex = (word: bigint): string => `0x${word.toString(16)}`;
const whole = (value: bigint): number | string => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value));
