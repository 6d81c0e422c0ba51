/** Recorded arguments in memory of this process. */
import {
  Abi,
  extensionStruct,
  type Field,
  holdsObjects,
  memberInUse,
  type StructLayout,
} from '../../../knowledge/abi/index.ts';
import type { RecordedStruct } from '../../../knowledge/trace/arguments.ts';
import type { Memory } from '../../../knowledge/trace/format.ts';
import type { Arena } from '../../ffi/memory.ts';
import type { PjrtApi } from '../../pjrt/api.ts';
import { type SessionObjects, Unresolved } from './session-objects.ts';

/** What recorded arguments are translated with. */
export interface Translation {
  api: PjrtApi;
  arena: Arena;
  objects: SessionObjects;
  /** Version of the recorded plugin. */
  minor: number;
  /** The kept bytes of memory, or those that stand for them here. */
  bytesOf(memory: Memory): Uint8Array | undefined;
  /** Something that only its process has is left out. */
  leftOut(what: string): void;
  /** The address of a callback that stands for the caller's; 0 if it is left out. */
  callback(field: Field): bigint;
  /** What a callback gets as its caller's argument. */
  userArgument: bigint;
  /** Elements of a list that the caller gives for outputs; undefined if it is as long as its field says. */
  roomFor(field: Field): number | undefined;
}

/** Fields that the harness sets itself. */
const HEAD: ReadonlySet<string> = new Set(['struct_size', 'extension_start', 'priv']);

/**
 * Writes the inputs of a recorded struct into one of this process, whose layout may be that of another version.
 * @param to as long as its layout says, zeroed but for its size
 * @throws Unresolved if something is not there
 */
export function writeArguments(how: Translation, layout: StructLayout, to: Uint8Array, from: RecordedStruct): void {
  const view = new DataView(to.buffer, to.byteOffset, to.length);
  const inUse = memberInUse(from.layout, from.whole);
  if (!inUse && from.layout.fields.some(({ union }) => union))
    throw new Unresolved(
      `the trace does not say what ${from.layout.name} has, which its caller gave a wrong struct_size`,
    );
  for (const field of from.layout.fields) {
    if (HEAD.has(field.name)) {
      if (field.name === 'extension_start' && from.word(field.name) !== 0n) how.leftOut('an extension of the caller');
      continue;
    }
    if (!from.has(field.name) || (field.union && field.name !== inUse?.name)) continue;
    if ((field.out && !field.inOut && !field.given) || field.unmarked) continue;
    if (!layout.has(field.name) || layout.field(field.name).offset + field.size > to.length) {
      if (from.slice(field).some((byte) => byte !== 0)) how.leftOut(`${layout.name}.${field.name}, which is younger`);
      continue;
    }
    const target = layout.field(field.name);
    if (field.depth > 0) view.setBigUint64(target.offset, addressOf(how, from, field), true);
    else writeValue(how, to, target, from, field);
  }
}

function writeValue(how: Translation, to: Uint8Array, target: Field, from: RecordedStruct, field: Field): void {
  const own = structNamed(how, field.base);
  if (own) {
    const inner = to.subarray(target.offset, target.offset + target.size);
    begin(own.here, inner);
    writeArguments(how, own.here, inner, from.within(own.there, from.slice(field)));
    return;
  }
  if (field.base === 'fn' || how.api.abi.callbacks.has(field.base)) {
    const view = new DataView(to.buffer, to.byteOffset, to.length);
    if (from.word(field.name) !== 0n) view.setBigUint64(target.offset, how.callback(field), true);
    return;
  }
  to.set(from.slice(field).subarray(0, target.size), target.offset);
}

/** What a pointer is in this process. */
function addressOf(how: Translation, from: RecordedStruct, field: Field): bigint {
  const address = from.word(field.name);
  if (address === 0n) return 0n;
  // What a call writes, unless the caller had written there before: the code of a program is either.
  if ((field.out || field.name === 'dst') && !from.at(address)) return roomOf(how, from, field);
  if (holdsObjects(field)) return objectsAt(how, from, field, address, field.depth);
  const own = structNamed(how, field.base);
  if (own) return structsAt(how, from, field, own);
  if (field.depth > 1) {
    return list(how, from.words(address), (word) => (word === 0n ? 0n : copied(how, from, word, field)));
  }
  if (field.base === 'void' && field.name.endsWith('user_arg')) return how.userArgument;
  return copied(how, from, address, field);
}

/** A copy of the memory at an address, or in it: data with negative strides begins at its end. */
function copied(how: Translation, from: RecordedStruct, address: bigint, field: Field): bigint {
  const memory = from.at(address) ?? from.around(address);
  if (!memory && isEmpty(from, field)) return how.arena.alloc(8).address;
  const bytes = memory && how.bytesOf(memory);
  if (!memory || !bytes) throw new Unresolved(`the trace does not have what ${field.name} leads to`);
  // A text that nothing counts ends with a NUL, which is not recorded.
  const whole = field.content === 'terminated' ? Buffer.concat([bytes, Buffer.of(0)]) : bytes;
  return how.arena.input(whole, field.name).address + (address - memory.address);
}

/** Whether there was nothing to record behind a pointer. */
function isEmpty(from: RecordedStruct, { count, name }: Field): boolean {
  if (count !== undefined && from.layout.has(count)) return from.word(count) === 0n;
  return name === 'data' && from.layout.has('dims') && from.words(from.word('dims')).includes(0n);
}

function objectsAt(how: Translation, from: RecordedStruct, field: Field, address: bigint, depth: number): bigint {
  if (address === 0n) return 0n;
  if (depth === 1) return how.objects.pointer(field.base, address);
  return list(how, from.words(address), (word) => objectsAt(how, from, field, word, depth - 1));
}

const list = ({ arena }: Translation, words: readonly bigint[], at: (word: bigint) => bigint): bigint =>
  arena.pointers(words.map(at)).address;

/** Memory for what a call writes. */
function roomOf(how: Translation, from: RecordedStruct, field: Field): bigint {
  const length = field.count === undefined ? 1 : from.number(field.count);
  if (field.depth === 1) {
    const each = field.base === 'void' || field.base === 'char' ? 1 : how.api.abi.integerBytes(field.base);
    if (each === undefined) throw new Unresolved(`the size of ${field.name} depends on the plugin`);
    return how.arena.room(Math.max(1, length * each), field.name, { align: 8 }).address;
  }
  if (field.depth === 2) return how.arena.room(8 * Math.max(1, length), field.name).address;
  const inner = how.roomFor(field);
  if (inner === undefined) throw new Unresolved(`the trace does not say how long the lists of ${field.name} are`);
  const lists = Array.from({ length }, () => how.arena.room(8 * Math.max(1, inner), field.name).address);
  return how.arena.pointers(lists).address;
}

interface Layouts {
  /** As this process writes it. */
  here: StructLayout;
  /** As it was recorded. */
  there: StructLayout;
}

function structsAt(how: Translation, from: RecordedStruct, field: Field, { here, there }: Layouts): bigint {
  const address = from.word(field.name);
  if (field.depth === 2) {
    return list(how, from.words(address), (word) => oneStruct(how, from, from.at(word), { here, there }, field));
  }
  if (field.count === undefined) return oneStruct(how, from, from.at(address), { here, there }, field);
  const data = from.at(address)?.data;
  if (!data && from.number(field.count) === 0) return 0n;
  if (!data) throw new Unresolved(`the trace does not have ${field.name}`);
  const count = from.number(field.count);
  const stride = Math.floor(data.length / Math.max(1, count));
  const block = how.arena.guarded(Math.max(8, here.size * count), here.name);
  for (let i = 0; i < count; i++) {
    const to = block.bytes.subarray(i * here.size, (i + 1) * here.size);
    begin(here, to);
    writeArguments(how, here, to, from.within(there, data.subarray(i * stride, (i + 1) * stride)));
  }
  return block.address;
}

function oneStruct(
  how: Translation,
  from: RecordedStruct,
  memory: Memory | undefined,
  { here, there }: Layouts,
  { name }: Field,
): bigint {
  if (!memory?.data) throw new Unresolved(`the trace does not have ${name}`);
  const block = how.arena.guarded(here.size, here.name);
  begin(here, block.bytes);
  writeArguments(how, here, block.bytes, from.within(there, memory.data));
  return block.address;
}

function begin(layout: StructLayout, to: Uint8Array): void {
  to.fill(0);
  if (layout.sized) new DataView(to.buffer, to.byteOffset, 8).setBigUint64(0, BigInt(layout.structSize), true);
}

/** Both layouts of a struct whose members callers fill in; undefined for other types. */
function structNamed({ api, minor }: Translation, base: string): Layouts | undefined {
  if (!base.startsWith('PJRT_') || base.startsWith('PJRT_Extension_Base')) return undefined;
  const abi = Abi.at(minor);
  if (api.abi.hasStruct(base) && abi.hasStruct(base)) return { here: api.struct(base), there: abi.struct(base) };
  try {
    const layout = extensionStruct(base);
    return { here: layout, there: layout };
  } catch {
    return undefined;
  }
}
