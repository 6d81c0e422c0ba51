import { deviceAssignmentType } from './compile-options-schema.ts';
import { decodeMessage } from './message-type.ts';
import { ProgramError } from './program.ts';

/** Device ids in rows of replicas and columns of partitions. */
export type DeviceAssignment = readonly (readonly number[])[];

/** The message of the schema: computations (partitions) outside, replicas inside. */
export interface DeviceAssignmentMessage {
  replicaCount?: number;
  computationCount?: number;
  computationDevices?: { replicaDeviceIds?: number[] }[];
}

/** Converts rows of replicas to the message. */
export function toAssignmentMessage(assignment: DeviceAssignment): DeviceAssignmentMessage {
  const partitions = assignment[0]?.length ?? 0;
  if (assignment.some((row) => row.length !== partitions)) {
    throw new ProgramError(
      `device assignment ${JSON.stringify(assignment)}: every replica needs the same number of partitions`,
    );
  }
  return {
    replicaCount: assignment.length,
    computationCount: partitions,
    computationDevices: Array.from({ length: partitions }, (_, partition) => ({
      replicaDeviceIds: assignment.map((row) => row[partition]!),
    })),
  };
}

/** Converts the message to rows of replicas; contradictory counts are an error. */
export function fromAssignmentMessage(message: DeviceAssignmentMessage): number[][] {
  const { replicaCount = 0, computationCount = 0, computationDevices = [] } = message;
  const lists = computationDevices.map((computation) => computation.replicaDeviceIds ?? []);
  if (lists.length !== computationCount || lists.some((ids) => ids.length !== replicaCount)) {
    const got = JSON.stringify(lists);
    throw new ProgramError(
      `DeviceAssignmentProto contradicts itself: ${replicaCount} replicas and ${computationCount} computations, but device ids ${got}`,
    );
  }
  return Array.from({ length: replicaCount }, (_, replica) => lists.map((ids) => ids[replica]!));
}

/** Decodes a serialized `DeviceAssignmentProto`; no bytes, as from a portable executable, give no rows. */
export const decodeDeviceAssignment = (bytes: Uint8Array): number[][] =>
  fromAssignmentMessage(decodeMessage(deviceAssignmentType, 'a DeviceAssignmentProto', bytes));

/** A serialized `DeviceAssignmentProto`. */
export const encodeDeviceAssignment = (assignment: DeviceAssignment): Uint8Array =>
  deviceAssignmentType().encode(toAssignmentMessage(assignment)).finish();
