import { harmlessFunction } from '../../ffi/harmless-function.ts';
import type { HostArray } from '../../numerics/array.ts';
import { generate } from '../../numerics/generate.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import { Client } from '../../pjrt/client.ts';
import type { Event } from '../../pjrt/event.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import { makeNamedValues } from '../../pjrt/named-values.ts';
import type { Topology } from '../../pjrt/topology.ts';
import { compileOptions, compileProgram, programBytes } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported, SuiteFault } from '../../steps/outcome.ts';
import { startPut } from '../../steps/transfer.ts';
import { provokeAnyError } from './provoke-error.ts';
import { runSoundCall } from './run-sound-call.ts';

/** Program of the objects: f32[2,3] to f32[2,3]. */
export const PROGRAM = 'identity/f32';

/** Host data of the objects: 24 bytes. */
export const hostData = (): HostArray =>
  generate({ iota: { dtype: 'f32', shape: [2, 3] } }, () => {
    throw new SuiteFault('there is no reference in it');
  });

type Make = (context: CaseContext) => unknown;

const seat = (context: CaseContext) => context.seats[0]!;
const buffer = (context: CaseContext): Buffer => startPut(context, hostData());

/** Output of another sound call; without it the case cannot say anything. */
const outputOf =
  (name: string, field: string): Make =>
  (context) => {
    const { error, outputs } = runSoundCall(context, name);
    if (error) throw new NotSupported(`needs what ${name} makes, which answers ${error.codeName}`);
    const output = outputs.get(field);
    if (output === undefined) throw new NotSupported(`needs what ${name} makes, which is NULL`);
    return output;
  };

/** Everything that sound arguments refer to, beyond what the runner binds. `fresh_…` is made anew for every call. */
const MAKERS: Readonly<Record<string, Make>> = {
  harmless: () => harmlessFunction(),
  host_data: hostData,
  program: (context) => programBytes(context.plugin, { program: PROGRAM }),
  compile_options: () => compileOptions(),
  create_options: (context) => makeNamedValues(context.api, context.arena, seat(context).setup.options).address,
  num_create_options: (context) => Object.keys(seat(context).setup.options).length,
  topology_name: (context) => seat(context).setup.topology?.name ?? '',
  topology_options: (context) =>
    makeNamedValues(context.api, context.arena, seat(context).setup.topology?.options ?? {}).address,
  num_topology_options: (context) => Object.keys(seat(context).setup.topology?.options ?? {}).length,
  unmapped_pages: (context) => context.arena.alloc(1 << 20, 4096).address,

  device_id: (context) => context.client.addressableDevices()[0]!.id(),
  local_hardware_id: (context) => context.client.addressableDevices()[0]!.localHardwareId(),
  kind_id: (context) => {
    const ids = outputOf(
      'PJRT_TopologyDescription_GetMemorySpaceKindIds',
      'memory_space_kind_ids',
    )(context) as number[];
    if (ids.length === 0) throw new NotSupported('needs a topology with a memory');
    return ids[0];
  },
  description: (context) => context.client.addressableDevices()[0]!.description(),
  other_device: (context) => {
    const other = context.client.addressableDevices()[1];
    if (!other) throw new NotSupported('needs a second addressable device');
    return other;
  },
  other_memory: (context) => {
    const device = context.client.addressableDevices()[0]!;
    const own = device.defaultMemory().pointer;
    const other = device.memories().find((m) => m.pointer !== own);
    if (!other) throw new NotSupported('needs a device with a second memory');
    return other;
  },

  buffer,
  fresh_buffer: buffer,
  fresh_counted_buffer: (context) => {
    const counted = buffer(context);
    counted.addReference();
    return counted;
  },
  device_pointer: (context) => (named(context, 'buffer') as Buffer).opaquePointer(),

  event: (context) =>
    context.seats[0]!.client ? context.scope.own(buffer(context).readyEvent()) : createdEvent(context),
  fresh_event: (context) =>
    context.seats[0]!.client ? context.scope.own(buffer(context).readyEvent()) : createdEvent(context),
  fresh_created_event: outputOf('PJRT_Event_Create', 'event'),
  fresh_error: (context) => {
    const error = provokeAnyError(context);
    context.scope.own(error);
    return error;
  },

  loaded: (context) => compileProgram(context, PROGRAM),
  fresh_loaded: (context) => compileProgram(context, PROGRAM),
  executable: (context) => context.scope.own((named(context, 'loaded') as LoadedExecutable).getExecutable()),
  fresh_executable: (context) => context.scope.own((named(context, 'loaded') as LoadedExecutable).getExecutable()),
  unloaded: outputOf('PJRT_Compile', 'executable'),
  serialized_executable: outputOf('PJRT_Executable_Serialize', 'serialized_bytes'),
  argument_lists: (context) => {
    const list = context.arena.pointers([(named(context, 'buffer') as Buffer).pointer]);
    return context.arena.pointers([list.address]).address;
  },

  fresh_client: (context) => {
    const made = Client.create(context.api, context.arena, seat(context).setup.options);
    return context.scope.own(made);
  },
  serialized_topology: outputOf('PJRT_TopologyDescription_Serialize', 'serialized_bytes'),
  fresh_topology: (context) => context.scope.own(ownTopology(context)),
  fresh_context: outputOf('PJRT_ExecuteContext_Create', 'context'),
  fresh_manager: outputOf('PJRT_Client_CreateBuffersForAsyncHostToDevice', 'transfer_manager'),
  fresh_tracking_event: outputOf('PJRT_Device_CreateAsyncTrackingEvent', 'event'),
};

/** A ready event that needs no client. */
function createdEvent(context: CaseContext): Event {
  const event = outputOf('PJRT_Event_Create', 'event')(context) as Event;
  context.api.invoke('PJRT_Event_Set', (call) => call.setWord('event', event.pointer));
  return event;
}

function ownTopology(context: CaseContext): Topology {
  if (context.api.has('PJRT_TopologyDescription_Deserialize') && context.seats[0]!.client) {
    return outputOf('PJRT_TopologyDescription_Deserialize', 'topology')(context) as Topology;
  }
  return outputOf('PJRT_TopologyDescription_Create', 'topology')(context) as Topology;
}

const made = new WeakMap<CaseContext, Map<string, unknown>>();

/** The object that a sound argument names: made on first use, or for every use when it is a `fresh_` one. */
export function named(context: CaseContext, name: string): unknown {
  const make = MAKERS[name];
  if (!make) return context.resolve(name);
  const known = made.get(context) ?? new Map<string, unknown>();
  made.set(context, known);
  if (name.startsWith('fresh_') || !known.has(name)) known.set(name, make(context));
  return known.get(name);
}

/** Binds every `$name` that the arguments mention, so that the steps' own code can write them. */
export function bindNames(context: CaseContext, value: unknown): void {
  if (typeof value === 'string' && value.startsWith('$')) {
    const name = value.slice(1);
    if (MAKERS[name]) context.bind(name, named(context, name));
  } else if (Array.isArray(value)) for (const element of value) bindNames(context, element);
  else if (typeof value === 'object' && value !== null) {
    for (const element of Object.values(value)) bindNames(context, element);
  }
}
