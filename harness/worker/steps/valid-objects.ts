import type { HostArray } from '../../knowledge/numerics/array.ts';
import { generate } from '../../knowledge/numerics/generate.ts';
import { harmlessFunction } from '../ffi/libc.ts';
import type { Buffer } from '../pjrt/buffer.ts';
import { Client } from '../pjrt/client.ts';
import { AbsentError, PjrtError } from '../pjrt/errors.ts';
import type { LoadedExecutable } from '../pjrt/executable.ts';
import { makeNamedValues } from '../pjrt/named-values.ts';
import { compileAgain, compileProgram, programBytes } from './compile.ts';
import { compileOptions } from './compile-options.ts';
import type { CaseContext } from './context.ts';
import { deviceBytes } from './device-bytes.ts';
import { ifOffered } from './device-format.ts';
import { causeOfAbsence, lacksHelper, NotSupported } from './outcome.ts';
import { startPut } from './transfer.ts';

/** Program of the objects: f32[2,3] to f32[2,3]. */
const PROGRAM = 'identity/f32';

/** Host data of the objects: 24 bytes. */
export const hostData = (): HostArray => generate({ iota: { dtype: 'f32', shape: [2, 3] } });

/** Makes an object of a case. */
export type Make = (context: CaseContext) => unknown;
export type Makers = Readonly<Record<string, Make>>;

const subject = (context: CaseContext) => context.subjects[0]!;
const buffer = (context: CaseContext): Buffer => startPut(context, hostData());

/**
 * Objects of valid arguments, besides those that the runner binds and that other valid calls create (derived-objects.ts).
 * `fresh_…` is created again for every call.
 */
const MAKERS: Makers = {
  harmless: () => harmlessFunction(),
  host_data: hostData,
  program: (context) => programBytes(context.plugin, { program: PROGRAM }),
  compile_options: (context) => compileOptions(context, {}, { program: PROGRAM }),
  create_options: (context) => makeNamedValues(context.api, context.arena, subject(context).setup.options).address,
  num_create_options: (context) => Object.keys(subject(context).setup.options).length,
  topology_name: (context) => subject(context).setup.topology?.name ?? '',
  topology_options: (context) =>
    makeNamedValues(context.api, context.arena, subject(context).setup.topology?.options ?? {}).address,
  num_topology_options: (context) => Object.keys(subject(context).setup.topology?.options ?? {}).length,
  unmapped_pages: (context) => {
    // What is mapped once and can't be unmapped can't be mapped again.
    context.api.demand('PJRT_Client_DmaUnmap');
    return context.arena.alloc(1 << 20, 4096).address;
  },

  device_id: (context) => context.client.firstDevice().id(),
  local_hardware_id: (context) => context.client.firstDevice().localHardwareId(),
  description: (context) => context.client.firstDevice().description(),
  other_device: (context) => {
    const other = context.client.addressableDevices()[1];
    if (!other) throw new NotSupported('needs a second addressable device');
    return other;
  },
  other_memory: (context) => {
    const device = context.client.firstDevice();
    const own = device.defaultMemory().pointer;
    const other = device.memories().find((m) => m.pointer !== own);
    if (!other) throw new NotSupported('needs a device with a second memory');
    return other;
  },

  buffer,
  fresh_buffer: buffer,
  /** What the buffer takes on the device, and the host data in the device's format. */
  device_bytes: (context) =>
    ifOffered(() => (named(context, 'buffer') as Buffer).onDeviceSize()) ?? hostData().bytes.length,
  device_data: (context) => deviceBytes(context, hostData()),
  fresh_counted_buffer: (context) => {
    const counted = buffer(context);
    counted.addReference();
    return counted;
  },
  device_pointer: (context) => (named(context, 'buffer') as Buffer).opaquePointer(),

  loaded: (context) => compileProgram(context, PROGRAM),
  fresh_loaded: (context) => compileAgain(context, PROGRAM),
  executable: (context) => context.scope.own((named(context, 'loaded') as LoadedExecutable).getExecutable()),
  fresh_executable: (context) => context.scope.own((named(context, 'loaded') as LoadedExecutable).getExecutable()),
  argument_lists: (context) => {
    const list = context.arena.pointers([(named(context, 'buffer') as Buffer).pointer]);
    return context.arena.pointers([list.address]).address;
  },

  fresh_client: (context) => {
    const made = Client.create(context.api, context.arena, subject(context).setup.options);
    return context.scope.own(made);
  },
};

const made = new WeakMap<CaseContext, Map<string, unknown>>();

/**
 * The object that a valid argument names: created on first use, or for every use if it is a `fresh_` one.
 * @param more makers besides those of this file
 */
export function named(context: CaseContext, name: string, more: Makers = {}): unknown {
  const make = MAKERS[name] ?? more[name];
  if (!make) return context.resolve(name);
  const known = made.get(context) ?? new Map<string, unknown>();
  made.set(context, known);
  if (name.startsWith('fresh_') || !known.has(name)) known.set(name, attempt(make, context));
  return known.get(name);
}

/** What a case needs and cannot have says nothing of what the case is about; others are about that. */
function attempt(make: Make, context: CaseContext): unknown {
  try {
    return make(context);
  } catch (error) {
    if (error instanceof PjrtError) {
      throw lacksHelper(error);
    }
    if (error instanceof AbsentError) throw new NotSupported(error.message, causeOfAbsence(error));
    throw error;
  }
}

/** Binds every `$name` that the arguments mention, so that the steps' own code can write them. */
export function bindNames(context: CaseContext, value: unknown, more: Makers = {}): void {
  if (typeof value === 'string' && value.startsWith('$')) {
    const name = value.slice(1);
    if (MAKERS[name] ?? more[name]) context.bind(name, named(context, name, more));
  } else if (Array.isArray(value)) for (const element of value) bindNames(context, element, more);
  else if (typeof value === 'object' && value !== null) {
    for (const element of Object.values(value)) bindNames(context, element, more);
  }
}
