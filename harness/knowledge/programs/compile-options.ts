import type { OptionOverride } from '../../model/plugin.ts';
import { compileOptionsType, debugOptionsType } from './compile-options-schema.ts';
import {
  type DeviceAssignment,
  type DeviceAssignmentMessage,
  fromAssignmentMessage,
  toAssignmentMessage,
} from './device-assignment.ts';
import { jaxDebugOptions } from './jax-compile-options.ts';
import { decodeMessage } from './message-type.ts';
import { ProgramError } from './program.ts';

export { decodeDeviceAssignment } from './device-assignment.ts';

/** Options of a compilation. */
export interface CompileOptions {
  /** How many options are sent. `jax` (default): all that JAX sends. `plain`: only what no plugin works without. */
  style?: 'jax' | 'plain';
  /** Default 1. */
  numReplicas?: number;
  /** Default 1. */
  numPartitions?: number;
  /** Device ids, a row for each replica, a column for each partition; default: the plugin chooses. */
  deviceAssignment?: DeviceAssignment;
  /** Default -1, "not set": a plugin may take 0 as a choice of device 0. */
  deviceOrdinal?: number;
  /** The executable is for no particular device; each execution names one. */
  portable?: boolean;
  /** Default: on with several partitions and, in JAX's style, also for one device, like `jax.jit`. */
  useSpmdPartitioning?: boolean;
  /** Shardings are in the sdy dialect rather than in mhlo.sharding attributes. Default: in JAX's style, for one device. */
  useShardyPartitioner?: boolean;
  /** Number of parameters and results of the program, for each of which JAX sends an entry. Default: one entry for all. */
  signature?: { parameters: number; results: number };
  /** Whether the compiler chooses how results are cut of which the program does not say it. Default, in JAX's style: yes. */
  propagation?: boolean;
  /** Debug options by name (those of the schema), after those that the style sends. */
  debug?: Readonly<Record<string, unknown>>;
  /** Options for the compiler from `jax.jit(compiler_options=…)`. */
  overrides?: Readonly<Record<string, OptionOverride>>;
}

/** Decoded compile options; everything else is not decoded. */
export interface DecodedCompileOptions
  extends Required<Pick<CompileOptions, 'numReplicas' | 'numPartitions' | 'deviceOrdinal' | 'portable'>>,
    Required<Pick<CompileOptions, 'useSpmdPartitioning' | 'useShardyPartitioner'>> {
  deviceAssignment: number[][] | undefined;
  /** Whether the compiler may choose how a parameter, or a result, is cut: one for each, or for all. */
  propagation: Record<'inputs' | 'outputs', boolean[]>;
  /** Those of the schema that are there; undefined: there are no debug options at all. */
  debug: Record<string, boolean | number> | undefined;
  overrides: Record<string, string | boolean | number>;
}

/** `EffortLevel.EFFORT_O2` of XLA, which JAX's `memory_fitting_level` of O2 means. */
const EFFORT_O2 = 29;

/**
 * A serialized `CompileOptionsProto`, by default as JAX sends it through the C API for arrays on a device. Both styles set a
 * device ordinal of -1, without which at least one plugin aborts.
 */
export function encodeCompileOptions(options: CompileOptions = {}): Uint8Array {
  const { style = 'jax', numReplicas = 1, numPartitions = 1, deviceOrdinal = -1, deviceAssignment } = options;
  const jax = style === 'jax';
  const single = numReplicas * numPartitions === 1;
  const { useSpmdPartitioning = numPartitions > 1 || (jax && single), useShardyPartitioner = jax && single } = options;
  const { signature = { parameters: 1, results: 1 }, propagation = true } = options;
  return compileOptionsType()
    .encode({
      executableBuildOptions: {
        deviceOrdinal,
        ...(jax || options.debug ? { debugOptions: toDebugOptions(jax, options.debug) } : {}),
        numReplicas,
        numPartitions,
        ...(useSpmdPartitioning ? { useSpmdPartitioning } : {}),
        ...(deviceAssignment ? { deviceAssignment: toAssignmentMessage(deviceAssignment) } : {}),
        // JAX lets the compiler choose shardings of results, but not of parameters, which are already placed.
        allowSpmdShardingPropagationToOutput: jax ? Array<boolean>(signature.results).fill(propagation) : [false],
        allowSpmdShardingPropagationToParameters: jax ? Array<boolean>(signature.parameters).fill(false) : [false],
        ...(useShardyPartitioner ? { useShardyPartitioner } : {}),
        processCount: 1,
        ...(jax ? { memoryFittingLevel: EFFORT_O2 } : {}),
      },
      ...(options.portable ? { compilePortableExecutable: true } : {}),
      ...(jax ? { profileVersion: -1, allowInPlaceMlirModification: true } : {}),
      ...(options.overrides ? { envOptionOverrides: toOverrideMessages(options.overrides) } : {}),
    })
    .finish();
}

/** Of a field that is there twice the later one counts, so serialized messages are merged by joining them. */
function toDebugOptions(jax: boolean, own: CompileOptions['debug'] = {}): Uint8Array {
  const type = debugOptionsType();
  const wrong = type.verify(own) ?? Object.keys(own).find((name) => !(name in type.fields));
  if (wrong !== undefined) throw new ProgramError(`debug options: ${wrong}`);
  return Buffer.concat([jax ? jaxDebugOptions() : new Uint8Array(), type.encode(own).finish()]);
}

const OVERRIDE_FIELD = { string: 'stringField', bool: 'boolField', int64: 'intField', float: 'doubleField' } as const;

const toOverrideMessages = (overrides: Readonly<Record<string, OptionOverride>>): Record<string, object> =>
  Object.fromEntries(
    Object.entries(overrides).map(([name, { kind, value }]) => [
      name,
      { [OVERRIDE_FIELD[kind]]: typeof value === 'bigint' ? String(value) : value },
    ]),
  );

interface BuildOptionsMessage {
  debugOptions?: Uint8Array;
  deviceOrdinal?: number;
  numReplicas?: number;
  numPartitions?: number;
  useSpmdPartitioning?: boolean;
  useShardyPartitioner?: boolean;
  deviceAssignment?: DeviceAssignmentMessage;
  allowSpmdShardingPropagationToOutput?: boolean[];
  allowSpmdShardingPropagationToParameters?: boolean[];
}

/** Decodes a serialized `CompileOptionsProto`; absent numbers are 0, as in the format. */
export function decodeCompileOptions(bytes: Uint8Array): DecodedCompileOptions {
  const message: {
    compilePortableExecutable?: boolean;
    executableBuildOptions?: BuildOptionsMessage;
    envOptionOverrides?: Record<string, Record<string, string | boolean | number>>;
  } = decodeMessage(compileOptionsType, 'a CompileOptionsProto', bytes);
  const build = message.executableBuildOptions ?? {};
  return {
    numReplicas: build.numReplicas ?? 0,
    numPartitions: build.numPartitions ?? 0,
    deviceOrdinal: build.deviceOrdinal ?? 0,
    portable: message.compilePortableExecutable ?? false,
    useSpmdPartitioning: build.useSpmdPartitioning ?? false,
    useShardyPartitioner: build.useShardyPartitioner ?? false,
    deviceAssignment: build.deviceAssignment && fromAssignmentMessage(build.deviceAssignment),
    propagation: {
      inputs: build.allowSpmdShardingPropagationToParameters ?? [],
      outputs: build.allowSpmdShardingPropagationToOutput ?? [],
    },
    debug: build.debugOptions && decodeMessage(debugOptionsType, 'DebugOptions', build.debugOptions),
    overrides: Object.fromEntries(
      Object.entries(message.envOptionOverrides ?? {}).map(([name, value]) => [name, Object.values(value)[0]!]),
    ),
  };
}
