import { NativeObject } from './handle.ts';
import { pointersOf, textOf } from './strings.ts';

/** A PJRT_Memory: owned by its client, identified by its address. */
export class Memory extends NativeObject {
  readonly kind = 'PJRT_Memory';
  protected readonly field = 'memory';

  id = (): number => this.invoke('PJRT_Memory_Id', (call) => call.int('id'));
  memoryKind = (): string => this.invoke('PJRT_Memory_Kind', (call) => textOf(call, 'kind'));
  kindId = (): number => this.invoke('PJRT_Memory_Kind_Id', (call) => call.int('kind_id'));
  /** Addresses of the devices that can reach this memory. */
  devices = (): bigint[] => this.invoke('PJRT_Memory_AddressableByDevices', (call) => pointersOf(call, 'devices'));
}
