import { readBytes } from '../ffi/memory.ts';
import { BadDataError } from './errors.ts';
import type { StructView } from './struct-view.ts';

/** Bytes that no text has. */
export const TEXT_LIMIT = 16 << 20;
const DATA_LIMIT = 1 << 30;
/** Elements that no list has. */
export const COUNT_LIMIT = 1 << 20;

/**
 * Text at a pointer with a size; empty for NULL. Invalid UTF-8 becomes replacement characters.
 * @throws BadDataError for an impossible size
 */
export function readText(pointer: bigint, size: number): string {
  if (pointer === 0n || size === 0) return '';
  demandSize(size, TEXT_LIMIT, (bytes) => `a string of ${bytes} bytes`);
  return Buffer.from(readBytes(pointer, size)).toString('utf8');
}

/** The text that a field leads to. */
export const textOf = (view: StructView, field: string): string => readText(view.word(field), view.count(field));

/** Bytes behind a pointer and a size; none for a size of 0. @throws BadDataError for NULL, or an absurd size */
export function readData(pointer: bigint, size: number): Uint8Array {
  demandSize(size, DATA_LIMIT, (bytes) => `${bytes} bytes`);
  if (pointer === 0n && size > 0) throw new BadDataError(`returned ${size} bytes behind a NULL pointer`);
  return readBytes(pointer, size);
}

/** Nothing is read of what cannot be as large as it says: what lies behind is other memory of the process. */
function demandSize(size: number, limit: number, what: (size: bigint) => string): void {
  if (size < 0 || size > limit) throw new BadDataError(`returned ${what(BigInt(size))}`);
}

/** A C array of pointers. */
export const readPointers = (pointer: bigint, count: number): bigint[] => [
  ...new BigUint64Array(readArray(pointer, count, 8, 'pointers')),
];

/** The pointers in the array that a field leads to. */
export const pointersOf = (view: StructView, field: string): bigint[] =>
  readPointers(view.word(field), view.count(field));

/** The texts that an array of pointers leads to, whose lengths are another array of the same struct. */
export function textsOf(view: StructView, field: string): string[] {
  const count = view.count(field);
  const { inner } = view.layout.field(field);
  const lengths = inner === undefined ? [] : readInt64s(view.word(inner), count);
  return readPointers(view.word(field), count).map((p, i) => readText(p, lengths[i] ?? 0));
}

/** A C array of int64_t or size_t. */
export const readInt64s = (pointer: bigint, count: number): number[] =>
  Array.from(new BigInt64Array(readArray(pointer, count, 8, 'integers')), Number);

/** A C array of int, or of an enum. */
export const readInt32s = (pointer: bigint, count: number): number[] => [
  ...new Int32Array(readArray(pointer, count, 4, 'integers')),
];

function readArray(pointer: bigint, count: number, width: number, what: string): ArrayBuffer {
  demandSize(count, COUNT_LIMIT, (elements) => `an array of ${elements} ${what}`);
  if (pointer === 0n && count > 0) throw new BadDataError(`returned a NULL array of ${count} ${what}`);
  return readBytes(pointer, count * width).buffer as ArrayBuffer;
}
