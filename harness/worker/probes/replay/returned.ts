/** What calls of a replay have returned, beside what was recorded. */
import { type Field, holdsObjects, type StructLayout } from '../../../knowledge/abi/index.ts';
import type { RecordedStruct } from '../../../knowledge/trace/arguments.ts';
import { readBytes } from '../../ffi/memory.ts';
import { BadDataError } from '../../pjrt/errors.ts';

/** The arguments of a call that has returned, copied: its block is used again. */
export class ReturnedArguments {
  readonly layout: StructLayout;
  readonly #bytes: Buffer;

  constructor(layout: StructLayout, bytes: Uint8Array) {
    this.layout = layout;
    this.#bytes = Buffer.from(bytes);
  }

  word(name: string): bigint {
    if (!this.layout.has(name)) return 0n;
    const { offset, size } = this.layout.field(name);
    if (offset + size > this.#bytes.length) return 0n;
    return size === 8 ? this.#bytes.readBigUInt64LE(offset) : BigInt(this.#bytes.readUIntLE(offset, Math.min(size, 6)));
  }

  /** The bytes of a value, or of what a pointer leads to. */
  value({ name, count, depth }: Field, each: number): Buffer | undefined {
    if (!this.layout.has(name)) return undefined;
    const { offset, size } = this.layout.field(name);
    if (depth === 0) return this.#bytes.subarray(offset, offset + size);
    const length = count === undefined ? 1 : this.#count(count);
    return this.#memory(this.word(name), length * each, name);
  }

  /** What a field counts: of an array, all that its elements count together. */
  #count(name: string): number {
    const field = this.layout.field(name);
    if (field.depth === 0) return Number(this.word(name));
    const length = field.count === undefined ? 0 : Number(this.word(field.count));
    return this.words(this.word(name), length, name).reduce((sum, word) => sum + Number(word), 0);
  }

  /** The words of a list. */
  words = (address: bigint, count: number, name: string): bigint[] => {
    const bytes = this.#memory(address, 8 * count, name);
    return Array.from({ length: count }, (_, i) => bytes.readBigUInt64LE(8 * i));
  };

  #memory(address: bigint, bytes: number, name: string): Buffer {
    if (bytes === 0) return Buffer.alloc(0);
    if (address === 0n) throw new BadDataError(`returned ${bytes} bytes in ${name}, and a NULL pointer to them`);
    if (bytes > MOST) throw new BadDataError(`returned ${bytes} bytes in ${name}, which nothing has`);
    return Buffer.from(readBytes(address, bytes));
  }
}

/** Bytes beyond which a count is none. */
const MOST = 2 ** 31;

/** An object in the outputs of a call: where it was, and what it is here; 0 if there is none. */
export interface PairedObject {
  field: Field;
  recorded: bigint;
  here: bigint;
  /** All that the output has here: a list may be longer. */
  among: readonly bigint[];
}

/** The objects that a call has returned, pairwise in the order of its outputs. */
export function pairedObjects(recorded: RecordedStruct, here: ReturnedArguments | undefined): PairedObject[] {
  return recorded.layout.fields.flatMap((field) => {
    if (!(field.out || field.unmarked) || !holdsObjects(field) || !recorded.has(field.name)) return [];
    const then = addresses(recorded, recorded.word(field.name), field.depth);
    if (then.length === 0) return [];
    const now = here ? addressesHere(here, field, lengths(recorded, field)) : [];
    return then.map((address, i) => ({ field, recorded: address, here: now[i] ?? 0n, among: now }));
  });
}

function addresses(from: RecordedStruct, address: bigint, depth: number): bigint[] {
  if (address === 0n) return [];
  if (depth === 1) return [address];
  return from.words(address).flatMap((word) => addresses(from, word, depth - 1));
}

/** How long the innermost lists of an output are that the caller gives. */
const lengths = (from: RecordedStruct, { name, depth }: Field): number =>
  depth < 3 ? 0 : from.words(from.words(from.word(name))[0] ?? 0n).length;

function addressesHere(here: ReturnedArguments, { name, depth, count }: Field, inner: number): bigint[] {
  const address = here.word(name);
  if (address === 0n) return [];
  if (depth === 1) return [address];
  const lists = here.words(address, count === undefined ? 1 : Number(here.word(count)), name);
  return depth === 2 ? lists : lists.flatMap((one) => here.words(one, inner, name));
}
