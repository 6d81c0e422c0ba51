import type { IMapField, INamespace } from 'protobufjs';
import { messageType } from './message-type.ts';

/**
 * The part of XLA's compile options that a conformance run sets or reads, as data. Field numbers are those of
 * `CompileOptionsProto`, `ExecutableBuildOptionsProto`, `OptionOverrideProto` and `DeviceAssignmentProto`; the decoder skips
 * fields left out here.
 */
const SCHEMA: INamespace = {
  nested: {
    ComputationDevice: {
      fields: { replicaDeviceIds: { rule: 'repeated', type: 'int64', id: 1, options: { packed: true } } },
    },
    DeviceAssignment: {
      fields: {
        replicaCount: { type: 'int32', id: 1 },
        computationCount: { type: 'int32', id: 2 },
        computationDevices: { rule: 'repeated', type: 'ComputationDevice', id: 3 },
      },
    },
    ExecutableBuildOptions: {
      fields: {
        deviceOrdinal: { type: 'int64', id: 1 },
        // A message, `DebugOptions`; as bytes, because those that JAX sends are recorded as bytes.
        debugOptions: { type: 'bytes', id: 3 },
        numReplicas: { type: 'int64', id: 4 },
        numPartitions: { type: 'int64', id: 5 },
        useSpmdPartitioning: { type: 'bool', id: 6 },
        deviceAssignment: { type: 'DeviceAssignment', id: 9 },
        allowSpmdShardingPropagationToOutput: { rule: 'repeated', type: 'bool', id: 12, options: { packed: true } },
        allowSpmdShardingPropagationToParameters: { rule: 'repeated', type: 'bool', id: 18, options: { packed: true } },
        useShardyPartitioner: { type: 'bool', id: 19 },
        processCount: { type: 'int64', id: 23 },
        // An enum, `EffortLevel`.
        memoryFittingLevel: { type: 'int32', id: 25 },
      },
    },
    // Two of XLA's debug options, with the names and types that they have had for years.
    DebugOptions: {
      fields: {
        xla_embed_ir_in_executable: { type: 'bool', id: 33 },
        xla_dump_max_hlo_modules: { type: 'int32', id: 132 },
      },
    },
    OptionOverride: {
      oneofs: { value: { oneof: ['stringField', 'boolField', 'intField', 'doubleField'] } },
      fields: {
        stringField: { type: 'string', id: 1 },
        boolField: { type: 'bool', id: 2 },
        intField: { type: 'int64', id: 3 },
        doubleField: { type: 'double', id: 4 },
      },
    },
    CompileOptions: {
      fields: {
        parameterIsTupledArguments: { type: 'bool', id: 2 },
        executableBuildOptions: { type: 'ExecutableBuildOptions', id: 3 },
        compilePortableExecutable: { type: 'bool', id: 4 },
        profileVersion: { type: 'int64', id: 5 },
        envOptionOverrides: { keyType: 'string', type: 'OptionOverride', id: 7 } as IMapField,
        allowInPlaceMlirModification: { type: 'bool', id: 9 },
      },
    },
  },
};

/** `xla.CompileOptionsProto`, in part. */
export const compileOptionsType = messageType('CompileOptions', SCHEMA);

/** `xla.DebugOptions`, in part. */
export const debugOptionsType = messageType('DebugOptions', SCHEMA);

/** `xla.DeviceAssignmentProto`. */
export const deviceAssignmentType = messageType('DeviceAssignment', SCHEMA);
