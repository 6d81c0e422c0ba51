import { type DeviceAssignment, encodeDeviceAssignment } from './device-assignment.ts';
import { ProgramError } from './program.ts';

/** `CompileOptionsProto.executable_build_options`, and `ExecutableBuildOptionsProto.device_assignment` in it. */
const [BUILD_OPTIONS, DEVICE_ASSIGNMENT] = [3, 9];

/**
 * A serialized `CompileOptionsProto` for other devices, or without a device assignment, so that the plugin chooses them; all else stays
 * as it is, also what is in no schema here.
 * @throws ProgramError
 */
export function onDevices(options: Uint8Array, assignment: DeviceAssignment | undefined): Buffer {
  const given = assignment ? [field(DEVICE_ASSIGNMENT, encodeDeviceAssignment(assignment))] : [];
  const rewritten = fieldsOf(options).map(({ number, whole, value }) => {
    if (number !== BUILD_OPTIONS || value === undefined) return whole;
    const kept = fieldsOf(value).filter((one) => one.number !== DEVICE_ASSIGNMENT);
    return field(BUILD_OPTIONS, Buffer.concat([...kept.map((one) => one.whole), ...given]));
  });
  return Buffer.concat(rewritten);
}

const field = (number: number, value: Uint8Array): Buffer =>
  Buffer.concat([varint((number << 3) | LENGTH), varint(value.length), value]);

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
