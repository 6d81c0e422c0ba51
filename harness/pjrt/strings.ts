import { readBytes } from '../ffi/memory.ts';
import { BadDataError } from './errors.ts';

const LIMIT = 16 << 20;

/** Text behind a pointer and a size; empty for NULL. Broken UTF-8 comes out with replacement characters. */
export function readText(pointer: bigint, size: number): string {
  if (pointer === 0n || size === 0) return '';
  if (size > LIMIT) throw new BadDataError(`the plugin returned a string of ${size} bytes`);
  return Buffer.from(readBytes(pointer, size)).toString('utf8');
}

/** A C array of pointers. */
export function readPointers(pointer: bigint, count: number): bigint[] {
  if (count > 1 << 20) throw new BadDataError(`the plugin returned an array of ${count} pointers`);
  if (pointer === 0n && count > 0) throw new BadDataError(`the plugin returned a NULL array of ${count} pointers`);
  const bytes = readBytes(pointer, count * 8);
  return [...new BigUint64Array(bytes.buffer, 0, count)];
}

/** A C array of int64_t. */
export function readInt64s(pointer: bigint, count: number): number[] {
  if (count > 1 << 20) throw new BadDataError(`the plugin returned an array of ${count} integers`);
  if (pointer === 0n && count > 0) throw new BadDataError(`the plugin returned a NULL array of ${count} integers`);
  const bytes = readBytes(pointer, count * 8);
  return Array.from(new BigInt64Array(bytes.buffer, 0, count), Number);
}
