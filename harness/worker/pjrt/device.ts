import type { PjrtApi } from './api.ts';
import { Memory } from './memory.ts';
import { type NamedValue, readNamedValues } from './named-values.ts';
import { pointersOf, textOf } from './strings.ts';

/** A PJRT_DeviceDescription: owned by a device or a topology. */
export class DeviceDescription {
  readonly kind = 'PJRT_DeviceDescription';
  readonly api: PjrtApi;
  readonly pointer: bigint;

  constructor(api: PjrtApi, pointer: bigint) {
    this.api = api;
    this.pointer = pointer;
  }

  #int(name: string, field: string): number {
    return this.api.invoke(
      name,
      (call) => call.setWord('device_description', this.pointer),
      (call) => call.int(field),
    );
  }

  #text(name: string, field: string): string {
    return this.api.invoke(
      name,
      (call) => call.setWord('device_description', this.pointer),
      (call) => textOf(call, field),
    );
  }

  id = (): number => this.#int('PJRT_DeviceDescription_Id', 'id');
  deviceKind = (): string => this.#text('PJRT_DeviceDescription_Kind', 'device_kind');
  debugString = (): string => this.#text('PJRT_DeviceDescription_DebugString', 'debug_string');

  attributes(): NamedValue[] {
    return this.api.invoke(
      'PJRT_DeviceDescription_Attributes',
      (call) => call.setWord('device_description', this.pointer),
      (call) => readNamedValues(this.api, call.word('attributes'), call.size('num_attributes')),
    );
  }
}

/** A PJRT_Device: owned by its client, identified by its address. */
export class Device {
  readonly kind = 'PJRT_Device';
  readonly api: PjrtApi;
  readonly pointer: bigint;

  constructor(api: PjrtApi, pointer: bigint) {
    this.api = api;
    this.pointer = pointer;
  }

  #invoke<T>(name: string, read: (call: import('./call.ts').Call) => T): T {
    return this.api.invoke(name, (call) => call.setWord('device', this.pointer), read);
  }

  description = (): DeviceDescription =>
    new DeviceDescription(
      this.api,
      this.#invoke('PJRT_Device_GetDescription', (call) => call.word('device_description')),
    );
  id = (): number => this.description().id();
  localHardwareId = (): number => this.#invoke('PJRT_Device_LocalHardwareId', (call) => call.int('local_hardware_id'));
  memories = (): Memory[] =>
    this.#invoke('PJRT_Device_AddressableMemories', (call) =>
      pointersOf(call, 'memories').map((p) => new Memory(this.api, p)),
    );
  defaultMemory = (): Memory =>
    new Memory(
      this.api,
      this.#invoke('PJRT_Device_DefaultMemory', (call) => call.word('memory')),
    );
}
