import type { Options } from '../../model/plugin.ts';
import type { Arena } from '../ffi/memory.ts';
import type { PjrtApi } from './api.ts';
import { Buffer } from './buffer.ts';
import { type Calls, elsewhere, here } from './calls.ts';
import { compiling } from './compilation.ts';
import { Device } from './device.ts';
import { BadDataError } from './errors.ts';
import { Event } from './event.ts';
import { LoadedExecutable } from './executable.ts';
import { Handle } from './handle.ts';
import { Memory } from './memory.ts';
import { makeNamedValues } from './named-values.ts';

import { pointersOf, textOf } from './strings.ts';
import { Topology } from './topology.ts';

/** A host array to transfer to a device. Addresses are native; the caller keeps the memory as the semantics require. */
export interface HostSource {
  data: bigint;
  /** PJRT_Buffer_Type. */
  type: number;
  dims: readonly number[];
  byteStrides?: readonly number[];
  /** PJRT_HostBufferSemantics. */
  semantics: number;
  device?: bigint;
  memory?: bigint;
  /** Address of a PJRT_Buffer_MemoryLayout. */
  layout?: bigint;
}

/** PJRT_HostBufferSemantics by their names in the suite language. */
export const SEMANTICS = {
  'during-call': 0,
  'until-transfer-completes': 1,
  'zero-copy': 2,
  'mutable-zero-copy': 3,
} as const;

/** A PJRT_Client that the harness owns. */
export class Client extends Handle {
  readonly kind = 'PJRT_Client';
  protected readonly field = 'client';

  /** Creates a client. @throws PjrtError with the plugin's message */
  static create = (api: PjrtApi, arena: Arena, options: Readonly<Options>): Client =>
    here(Client.creating(api, arena, options));

  static *creating(api: PjrtApi, arena: Arena, options: Readonly<Options>): Calls<Client> {
    const named = makeNamedValues(api, arena, options);
    const fields = { create_options: named.address, num_options: named.count };
    const pointer = yield* api.calling('PJRT_Client_Create', fields, (call) => call.word('client'));
    if (pointer === 0n) throw new BadDataError('succeeded, but its client is NULL', 'PJRT_Client_Create');
    return new Client(api, pointer);
  }

  platformName = (): string => this.invoke('PJRT_Client_PlatformName', (call) => textOf(call, 'platform_name'));
  platformVersion = (): string =>
    this.invoke('PJRT_Client_PlatformVersion', (call) => textOf(call, 'platform_version'));
  processIndex = (): number => this.invoke('PJRT_Client_ProcessIndex', (call) => call.int('process_index'));
  devices = (): Device[] =>
    this.invoke('PJRT_Client_Devices', (call) => pointersOf(call, 'devices').map((p) => new Device(this.api, p)));
  addressableDevices = (): Device[] =>
    this.invoke('PJRT_Client_AddressableDevices', (call) =>
      pointersOf(call, 'addressable_devices').map((p) => new Device(this.api, p)),
    );
  /** The addressable device that is listed first. @throws BadDataError */
  firstDevice = (): Device => {
    const [first] = this.addressableDevices();
    if (!first) throw new BadDataError('returned no device', 'PJRT_Client_AddressableDevices');
    return first;
  };
  addressableMemories = (): Memory[] =>
    this.invoke('PJRT_Client_AddressableMemories', (call) =>
      pointersOf(call, 'addressable_memories').map((p) => new Memory(this.api, p)),
    );
  topology = (): Topology =>
    this.invoke('PJRT_Client_TopologyDescription', (call) => new Topology(this.api, call.word('topology'), false));

  /** Compiles a program. @param format `mlir` for both StableHLO text and portable artifacts */
  compile = (arena: Arena, code: Uint8Array, format: string, options: Uint8Array): LoadedExecutable =>
    here(this.compiling(arena, code, format, options));

  /** Compiles on another thread: for programs whose compiler may call back into JavaScript. */
  compileAsync = (arena: Arena, code: Uint8Array, format: string, options: Uint8Array): Promise<LoadedExecutable> =>
    elsewhere(this.compiling(arena, code, format, options));

  *compiling(arena: Arena, code: Uint8Array, format: string, options: Uint8Array): Calls<LoadedExecutable> {
    const program = { code, format, options };
    const pointer = yield* compiling(this.api, arena, 'PJRT_Client_Compile', program, this.filled());
    return new LoadedExecutable(this.api, pointer);
  }

  /** Starts a transfer to the device; returns the buffer, and the event after which the host memory may be reused. */
  bufferFromHost = (arena: Arena, source: HostSource): { buffer: Buffer; done: Event } =>
    here(this.sending(arena, source));

  *sending(arena: Arena, source: HostSource): Calls<{ buffer: Buffer; done: Event }> {
    const { data, type, dims, byteStrides, semantics, device, memory, layout } = source;
    const fields = this.filled({
      ...{ data, type, dims: arena.int64s(dims).address, num_dims: dims.length },
      byte_strides: byteStrides && arena.int64s(byteStrides, 'byte_strides').address,
      num_byte_strides: byteStrides?.length,
      host_buffer_semantics: semantics,
      ...{ device, memory },
      // Younger versions only have this field.
      device_layout: layout || undefined,
    });
    return yield* this.api.calling('PJRT_Client_BufferFromHostBuffer', fields, (call) => ({
      buffer: new Buffer(this.api, call.word('buffer')),
      done: new Event(this.api, call.word('done_with_host_buffer')),
    }));
  }

  protected release(): void {
    this.invoke('PJRT_Client_Destroy');
  }
}
