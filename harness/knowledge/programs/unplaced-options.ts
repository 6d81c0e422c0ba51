import { ProgramError } from './program.ts';

/** `CompileOptionsProto.executable_build_options`, and `ExecutableBuildOptionsProto.device_assignment` in it. */
const [BUILD_OPTIONS, DEVICE_ASSIGNMENT] = [3, 9];

/**
 * A serialized `CompileOptionsProto` without its device assignment, so that the plugin chooses the devices; all else stays as it is,
 * also what is in no schema here.
 * @throws ProgramError
 */
export function withoutDeviceAssignment(options: Uint8Array): Buffer {
  const rewritten = fieldsOf(options).map(({ number, whole, value }) => {
    if (number !== BUILD_OPTIONS || value === undefined) return whole;
    const kept = fieldsOf(value).filter((field) => field.number !== DEVICE_ASSIGNMENT);
    const inner = Buffer.concat(kept.map((field) => field.whole));
    return Buffer.concat([varint((BUILD_OPTIONS << 3) | LENGTH), varint(inner.length), inner]);
  });
  return Buffer.concat(rewritten);
}

const LENGTH = 2;

interface Piece {
  number: number;
  /** Tag and value. */
  whole: Uint8Array;
  /** Of a value with a length. */
  value?: Uint8Array;
}

function fieldsOf(bytes: Uint8Array): Piece[] {
  const found: Piece[] = [];
  for (let at = 0; at < bytes.length; ) {
    const begin = at;
    const [tag, afterTag] = readVarint(bytes, at);
    const [number, wire] = [Math.floor(tag / 8), tag & 7];
    let value: Uint8Array | undefined;
    if (wire === 0) at = readVarint(bytes, afterTag)[1];
    else if (wire === 1) at = afterTag + 8;
    else if (wire === 5) at = afterTag + 4;
    else if (wire === LENGTH) {
      const [length, start] = readVarint(bytes, afterTag);
      at = start + length;
      value = bytes.subarray(start, at);
    } else
      throw new ProgramError(`not a CompileOptionsProto (${bytes.length} bytes): wire type ${wire} at byte ${begin}`);
    if (at > bytes.length)
      throw new ProgramError(`not a CompileOptionsProto (${bytes.length} bytes): cut off at byte ${begin}`);
    found.push({ number, whole: bytes.subarray(begin, at), ...(value && { value }) });
  }
  return found;
}

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

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value >= 0x80; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80);
  return Buffer.from([...bytes, value]);
}
