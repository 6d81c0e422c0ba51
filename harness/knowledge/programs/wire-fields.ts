import { ProgramError } from './program.ts';

/** Wire type of a value with a length. */
export const LENGTH = 2;

/** A field of a serialized `CompileOptionsProto`, or of a message in it. */
export interface WireField {
  number: number;
  /** Tag and value. */
  whole: Uint8Array;
  /** Of a value with a length. */
  value?: Uint8Array;
  /** Of a number of variable length. */
  integer?: bigint;
}

/** The fields of a message in their order. @throws ProgramError */
export function fieldsOf(bytes: Uint8Array): WireField[] {
  const found: WireField[] = [];
  for (let at = 0; at < bytes.length; ) {
    const begin = at;
    const [tag, afterTag] = readVarint(bytes, at);
    const [number, wire] = [Math.floor(tag / 8), tag & 7];
    let value: Uint8Array | undefined;
    let integer: bigint | undefined;
    if (wire === 0) {
      at = readVarint(bytes, afterTag)[1];
      integer = integerOf(bytes.subarray(afterTag, at));
    } else if (wire === 1) at = afterTag + 8;
    else if (wire === 5) at = afterTag + 4;
    else if (wire === LENGTH) {
      const [length, start] = readVarint(bytes, afterTag);
      at = start + length;
      value = bytes.subarray(start, at);
    } else
      throw new ProgramError(`not a CompileOptionsProto (${bytes.length} bytes): wire type ${wire} at byte ${begin}`);
    if (at > bytes.length)
      throw new ProgramError(`not a CompileOptionsProto (${bytes.length} bytes): cut off at byte ${begin}`);
    found.push({
      number,
      whole: bytes.subarray(begin, at),
      ...(value && { value }),
      ...(integer !== undefined && { integer }),
    });
  }
  return found;
}

/** As int64: the lowest seven bits come first. */
const integerOf = (bytes: Uint8Array): bigint =>
  BigInt.asIntN(
    64,
    bytes.reduceRight((sum, byte) => (sum << 7n) | BigInt(byte & 0x7f), 0n),
  );

function readVarint(bytes: Uint8Array, at: number): [value: number, next: number] {
  let value = 0;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return [value, at + i + 1];
  }
  throw new ProgramError(`not a CompileOptionsProto (${bytes.length} bytes): cut off at byte ${at}`);
}

/** A number as it is written. */
export function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value >= 0x80; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80);
  return Buffer.from([...bytes, value]);
}
