import { type CompileOptions as Encoded, encodeCompileOptions } from '../../knowledge/programs/compile-options.ts';
import { onDevices } from '../../knowledge/programs/placed-options.ts';
import { loadProgram } from '../../knowledge/programs/programs.ts';
import type { OptionOverride } from '../../model/plugin.ts';
import type { CompileOptions } from '../../suite/types.ts';
import type { Client } from '../pjrt/client.ts';
import { AbsentError, PjrtError } from '../pjrt/errors.ts';
import type { Topology } from '../pjrt/topology.ts';
import type { CaseContext, Subject } from './context.ts';
import { suiteOptions } from './suite-options.ts';

/** What is compiled, and for whom: where nothing is said, an unknown program for the shared client. */
interface CompiledFor {
  program?: string | undefined;
  client?: Client | undefined;
  topology?: Topology | undefined;
}

/** CompileOptionsProto bytes for suite options: what these leave open is as JAX sends it, or as the manifest wants it. */
export function compileOptions(
  context: CaseContext,
  options: CompileOptions = {},
  compiled: CompiledFor = {},
): Uint8Array {
  if (options.raw === 'empty') return new Uint8Array();
  const shared = context.case.client === 'shared' ? context.client : undefined;
  const target = compiled.topology ?? compiled.client ?? shared;
  const numReplicas = options.num_replicas ?? 1;
  const numPartitions = options.num_partitions ?? 1;
  const first = (): number[] | undefined =>
    offered(() => firstDevices(compiled.client ?? shared, numReplicas * numPartitions));
  const inRows = (ids: readonly number[]): number[][] =>
    Array.from({ length: numReplicas }, (_, r) => ids.slice(r * numPartitions, (r + 1) * numPartitions));
  if (options.raw !== undefined) {
    const raw = Uint8Array.from(Buffer.from(options.raw, 'hex'));
    const ids = options.first_devices && first();
    return ids ? onDevices(raw, inRows(ids)) : raw;
  }
  const manifest = subjectOf(context, target).setup.compileOptions;
  const style = options.plain ? 'plain' : (manifest?.style ?? 'jax');
  const single = numReplicas * numPartitions === 1 && !options.portable;
  const named = options.device_assignment?.map((id) => (typeof id === 'number' ? id : Number(context.resolve(id))));
  const leavesOpen =
    options.unplaced || options.portable || (compiled.topology !== undefined && !options.first_devices);
  // JAX names all of them. The choice of a plugin need not be the first ones, on which cases put the arguments.
  const chosen = (): readonly number[] | undefined =>
    single ? defaultAssignment(target, compiled.client ?? shared) : leavesOpen ? undefined : first();
  const ids = named ?? (style === 'jax' ? chosen() : undefined);
  const wanted = options.overrides && (suiteOptions(options.overrides) as Record<string, OptionOverride>);
  const overrides = manifest?.overrides || wanted ? { ...manifest?.overrides, ...wanted } : undefined;
  return encodeCompileOptions({
    style,
    numReplicas,
    numPartitions,
    ...(options.portable ? { portable: true } : {}),
    useShardyPartitioner: options.shardy,
    ...(ids ? { deviceAssignment: inRows(ids) } : {}),
    ...(compiled.program === undefined ? {} : signatureOf(compiled.program)),
    ...(options.first_devices ? { propagation: false } : {}),
    debug: options.debug,
    overrides,
  });
}

const subjectOf = (context: CaseContext, target: Client | Topology | undefined): Subject =>
  context.subjects.find((subject) => subject.plugin.api === target?.api) ?? context.subjects[0]!;

function signatureOf(name: string): Pick<Encoded, 'signature'> {
  const { bad, inputs, outputs } = loadProgram(name);
  return bad ? {} : { signature: { parameters: inputs.length, results: outputs.length } };
}

const assignments = new WeakMap<Client | Topology, readonly number[] | undefined>();

/**
 * The first device of a client, which JAX names in every compilation, or one of a topology: of its devices the first that
 * the case's client can address, so that the executable can be loaded. A plugin that does not report its devices breaks the
 * cases about that, not those that compile: for it the choice stays open.
 */
function defaultAssignment(
  target: Client | Topology | undefined,
  loader: Client | undefined,
): readonly number[] | undefined {
  if (target === undefined) return undefined;
  if (!assignments.has(target)) {
    const first =
      'addressableDevices' in target
        ? offered(() => target.addressableDevices()[0]?.id())
        : offered(() => firstUsable(target, loader));
    assignments.set(target, first === undefined ? undefined : [first]);
  }
  return assignments.get(target);
}

/** As many devices of a client as are asked for, if it has so many. */
function firstDevices(client: Client | undefined, count: number): number[] | undefined {
  const devices = client?.addressableDevices().slice(0, count);
  return devices?.length === count ? devices.map((device) => device.id()) : undefined;
}

/** The first device of a topology that a client can address, or the first. */
function firstUsable(topology: Topology, loader: Client | undefined): number | undefined {
  const ids = topology.deviceDescriptions().map((description) => description.id());
  const own = offered(() => loader?.addressableDevices().map((device) => device.id()));
  return ids.find((id) => own?.includes(id)) ?? ids[0];
}

/** What the plugin says, if it does. */
function offered<T>(query: () => T): T | undefined {
  try {
    return query();
  } catch (error) {
    if (error instanceof PjrtError || error instanceof AbsentError) return undefined;
    throw error;
  }
}
