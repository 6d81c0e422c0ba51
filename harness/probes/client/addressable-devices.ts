import type { Probe } from '../../steps/steps.ts';
import { broken, choice } from './support.ts';

/** The lists of devices: no null in them, and membership that devices themselves agree with. */
export const addressableDevices: Probe = (context, options) => {
  const rule = choice(options, 'rule', ['no-null', 'is-addressable']);
  const all = context.client.devices();
  const addressable = new Set(context.client.addressableDevices().map((d) => d.pointer));
  if (rule === 'no-null') {
    if (all.some((d) => d.pointer === 0n)) broken('a device in the list is NULL', 'PJRT_Client_Devices');
    if (addressable.has(0n)) broken('a device in the list is NULL', 'PJRT_Client_AddressableDevices');
    return;
  }
  for (const device of all) {
    if (device.isAddressable() === addressable.has(device.pointer)) continue;
    const listed = addressable.has(device.pointer) ? 'is' : 'is not';
    broken(
      `the device with the id ${device.id()} says that it is${device.isAddressable() ? '' : ' not'} addressable, but it ${listed} in the list of addressable devices`,
      'PJRT_Device_IsAddressable',
    );
  }
};
