import { NativeObject } from './handle.ts';
import { Memory } from './memory.ts';
import { type NamedValue, readNamedValues } from './named-values.ts';
import { pointersOf, textOf } from './strings.ts';

/** A PJRT_DeviceDescription: owned by a device or a topology. */
export class DeviceDescription extends NativeObject {
  readonly kind = 'PJRT_DeviceDescription';
  protected readonly field = 'device_description';

  id = (): number => this.invoke('PJRT_DeviceDescription_Id', (call) => call.int('id'));
  deviceKind = (): string => this.invoke('PJRT_DeviceDescription_Kind', (call) => textOf(call, 'device_kind'));
  debugString = (): string => this.invoke('PJRT_DeviceDescription_DebugString', (call) => textOf(call, 'debug_string'));

  attributes = (): NamedValue[] =>
    this.invoke('PJRT_DeviceDescription_Attributes', (call) =>
      readNamedValues(this.api, call.word('attributes'), call.size('num_attributes')),
    );
}

/** A PJRT_Device: owned by its client, identified by its address. */
export class Device extends NativeObject {
  readonly kind = 'PJRT_Device';
  protected readonly field = 'device';

  description = (): DeviceDescription =>
    this.invoke(
      'PJRT_Device_GetDescription',
      (call) => new DeviceDescription(this.api, call.word('device_description')),
    );
  id = (): number => this.description().id();
  localHardwareId = (): number => this.invoke('PJRT_Device_LocalHardwareId', (call) => call.int('local_hardware_id'));
  memories = (): Memory[] =>
    this.invoke('PJRT_Device_AddressableMemories', (call) =>
      pointersOf(call, 'memories').map((p) => new Memory(this.api, p)),
    );
  defaultMemory = (): Memory =>
    this.invoke('PJRT_Device_DefaultMemory', (call) => new Memory(this.api, call.word('memory')));
}
