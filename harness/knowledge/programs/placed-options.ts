import { type DeviceAssignment, encodeDeviceAssignment } from './device-assignment.ts';
import { fieldsOf, LENGTH, varint } from './wire-fields.ts';

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
