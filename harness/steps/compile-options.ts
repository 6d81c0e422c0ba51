import type { Client } from '../pjrt/client.ts';
import { AbsentError, PjrtError } from '../pjrt/errors.ts';
import type { Topology } from '../pjrt/topology.ts';
import type { OptionOverride } from '../plugins/types.ts';
import { type CompileOptions as Encoded, encodeCompileOptions } from '../programs/compile-options.ts';
import { loadProgram } from '../programs/programs.ts';
import type { CompileOptions } from '../suite/types.ts';
import type { CaseContext, Seat } from './context.ts';
import { suiteOptions } from './suite-options.ts';

/** What is compiled, and for whom: where nothing is said, an unknown program for the shared client. */
interface Subject {
  program?: string | undefined;
  client?: Client | undefined;
  topology?: Topology | undefined;
}

/** CompileOptionsProto bytes for suite options: what these leave open is as JAX sends it, or as the manifest wants it. */
export function compileOptions(context: CaseContext, options: CompileOptions = {}, subject: Subject = {}): Uint8Array {
  if (options.raw === 'empty') return new Uint8Array();
  if (options.raw !== undefined) return Uint8Array.from(Buffer.from(options.raw, 'hex'));
  const target = subject.topology ?? subject.client ?? (context.case.client === 'shared' ? context.client : undefined);
  const numReplicas = options.num_replicas ?? 1;
  const numPartitions = options.num_partitions ?? 1;
  const manifest = seatOf(context, target).setup.compileOptions;
  const style = options.plain ? 'plain' : (manifest?.style ?? 'jax');
  const single = numReplicas * numPartitions === 1 && !options.portable;
  const named = options.device_assignment?.map((id) => (typeof id === 'number' ? id : Number(context.resolve(id))));
  const ids = named ?? (style === 'jax' && single ? defaultAssignment(target) : undefined);
  const own = options.overrides && (suiteOptions(options.overrides) as Record<string, OptionOverride>);
  const overrides = manifest?.overrides || own ? { ...manifest?.overrides, ...own } : undefined;
  return encodeCompileOptions({
    style,
    numReplicas,
    numPartitions,
    ...(options.portable ? { portable: true } : {}),
    ...(options.shardy === undefined ? {} : { useShardyPartitioner: options.shardy }),
    ...(ids
      ? {
          deviceAssignment: Array.from({ length: numReplicas }, (_, r) =>
            ids.slice(r * numPartitions, (r + 1) * numPartitions),
          ),
        }
      : {}),
    ...(subject.program === undefined ? {} : signatureOf(subject.program)),
    ...(overrides ? { overrides } : {}),
  });
}

const seatOf = (context: CaseContext, target: Client | Topology | undefined): Seat =>
  context.seats.find((seat) => seat.plugin.api === target?.api) ?? context.seats[0]!;

function signatureOf(name: string): Pick<Encoded, 'signature'> {
  const { bad, inputs, outputs } = loadProgram(name);
  return bad ? {} : { signature: { parameters: inputs.length, results: outputs.length } };
}

const assignments = new WeakMap<Client | Topology, readonly number[] | undefined>();

/**
 * The first device of a client or topology, which JAX names in every compilation. A plugin that does not report its devices
 * breaks the cases about that, not those that compile: for it the choice stays open.
 */
function defaultAssignment(target: Client | Topology | undefined): readonly number[] | undefined {
  if (target === undefined) return undefined;
  if (!assignments.has(target)) {
    let ids: number[] | undefined;
    try {
      const first = 'addressableDevices' in target ? target.addressableDevices()[0] : target.deviceDescriptions()[0];
      ids = first && [first.id()];
    } catch (error) {
      if (!(error instanceof PjrtError || error instanceof AbsentError)) throw error;
    }
    assignments.set(target, ids);
  }
  return assignments.get(target);
}
