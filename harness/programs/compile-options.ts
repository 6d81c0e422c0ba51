import { CompileOptionsType } from './compile-options-schema.ts';
import {
  type DeviceAssignment,
  type DeviceAssignmentMessage,
  fromAssignmentMessage,
  toAssignmentMessage,
} from './device-assignment.ts';
import { ProgramError } from './program-error.ts';

export { decodeDeviceAssignment } from './device-assignment.ts';

/** What a caller may ask of a compilation. */
export interface CompileOptions {
  /** Default 1. */
  numReplicas?: number;
  /** Default 1. */
  numPartitions?: number;
  /** Device ids, a row for each replica, a column for each partition; absent leaves the choice to the plugin. */
  deviceAssignment?: DeviceAssignment;
  /** Default -1, "not set": a plugin may take 0 for a choice of device 0. */
  deviceOrdinal?: number;
  /** The executable is for no device in particular; each execution names one. */
  portable?: boolean;
  /** Default: on as soon as there is more than one partition, as frameworks do. */
  useSpmdPartitioning?: boolean;
  /** Shardings are in the sdy dialect rather than in mhlo.sharding attributes. */
  useShardyPartitioner?: boolean;
}

/** Compile options as read back; what is not here was not decoded. */
export interface DecodedCompileOptions extends Required<Omit<CompileOptions, 'deviceAssignment'>> {
  deviceAssignment: number[][] | undefined;
}

/**
 * A serialized `CompileOptionsProto`. The fields that frameworks always send are sent here too, above all a device
 * ordinal of -1, without which at least one plugin aborts.
 */
export function encodeCompileOptions(options: CompileOptions = {}): Uint8Array {
  const { numReplicas = 1, numPartitions = 1, deviceOrdinal = -1, deviceAssignment } = options;
  const { useSpmdPartitioning = numPartitions > 1 } = options;
  return CompileOptionsType.encode({
    executableBuildOptions: {
      deviceOrdinal,
      numReplicas,
      numPartitions,
      ...(useSpmdPartitioning ? { useSpmdPartitioning } : {}),
      ...(deviceAssignment ? { deviceAssignment: toAssignmentMessage(deviceAssignment) } : {}),
      allowSpmdShardingPropagationToOutput: [false],
      allowSpmdShardingPropagationToParameters: [false],
      ...(options.useShardyPartitioner ? { useShardyPartitioner: true } : {}),
      processCount: 1,
    },
    ...(options.portable ? { compilePortableExecutable: true } : {}),
  }).finish();
}

interface BuildOptionsMessage {
  deviceOrdinal?: number;
  numReplicas?: number;
  numPartitions?: number;
  useSpmdPartitioning?: boolean;
  useShardyPartitioner?: boolean;
  deviceAssignment?: DeviceAssignmentMessage;
}

/** Reads a serialized `CompileOptionsProto`; absent numbers are 0, as the format has it. */
export function decodeCompileOptions(bytes: Uint8Array): DecodedCompileOptions {
  let message: { compilePortableExecutable?: boolean; executableBuildOptions?: BuildOptionsMessage };
  try {
    message = CompileOptionsType.toObject(CompileOptionsType.decode(bytes), { longs: Number });
  } catch (error) {
    throw new ProgramError(`not a CompileOptionsProto (${bytes.length} bytes): ${(error as Error).message}`);
  }
  const build = message.executableBuildOptions ?? {};
  return {
    numReplicas: build.numReplicas ?? 0,
    numPartitions: build.numPartitions ?? 0,
    deviceOrdinal: build.deviceOrdinal ?? 0,
    portable: message.compilePortableExecutable ?? false,
    useSpmdPartitioning: build.useSpmdPartitioning ?? false,
    useShardyPartitioner: build.useShardyPartitioner ?? false,
    deviceAssignment: build.deviceAssignment && fromAssignmentMessage(build.deviceAssignment),
  };
}
