import type { PjrtApi } from './api.ts';
import type { Call } from './call.ts';
import { pointersOf, textOf } from './strings.ts';

/** A PJRT_Memory: owned by its client, identified by its address. */
export class Memory {
  readonly kind = 'PJRT_Memory';
  readonly api: PjrtApi;
  readonly pointer: bigint;

  constructor(api: PjrtApi, pointer: bigint) {
    this.api = api;
    this.pointer = pointer;
  }

  #invoke<T>(name: string, read: (call: Call) => T): T {
    return this.api.invoke(name, (call) => call.setWord('memory', this.pointer), read);
  }

  #text = (name: string, field: string): string => this.#invoke(name, (call) => textOf(call, field));

  id = (): number => this.#invoke('PJRT_Memory_Id', (call) => call.int('id'));
  memoryKind = (): string => this.#text('PJRT_Memory_Kind', 'kind');
  kindId = (): number => this.#invoke('PJRT_Memory_Kind_Id', (call) => call.int('kind_id'));
  /** Addresses of the devices that can reach this memory. */
  devices = (): bigint[] => this.#invoke('PJRT_Memory_AddressableByDevices', (call) => pointersOf(call, 'devices'));
}
