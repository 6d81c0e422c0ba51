import type { Device } from '../../pjrt/device.ts';
import type { CaseContext } from '../../steps/context.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, choice, errorOf } from './support.ts';

const BY_ID = { function: 'PJRT_Client_LookupDevice', argument: 'id', result: 'device' };
const BY_LOCAL = {
  function: 'PJRT_Client_LookupAddressableDevice',
  argument: 'local_hardware_id',
  result: 'addressable_device',
};

/** Every device is found by its number, and the number after the last finds nothing. */
export const deviceLookup: Probe = (context, options) => {
  const by = choice(options, 'by', ['id', 'local-hardware-id', 'id-after-last']);
  if (by === 'id') expectAll(context, context.client.devices(), BY_ID, (d) => d.id());
  else if (by === 'local-hardware-id') {
    // -1 means that the number is undefined.
    const devices = context.client.addressableDevices().filter((d) => d.localHardwareId() !== -1);
    expectAll(context, devices, BY_LOCAL, (d) => d.localHardwareId());
  } else {
    const next = Math.max(...context.client.devices().map((d) => d.id())) + 1;
    const error = errorOf(() => lookUp(context, BY_ID, next));
    if (!error) broken(`${BY_ID.function} found a device with an id greater than that of any device`, BY_ID.function);
  }
};

function lookUp(context: CaseContext, how: typeof BY_ID, id: number): bigint {
  return context.api.invoke(
    how.function,
    (call) => {
      call.setWord('client', context.client.pointer);
      call.setInt(how.argument, id);
    },
    (call) => call.word(how.result),
  );
}

function expectAll(
  context: CaseContext,
  devices: readonly Device[],
  how: typeof BY_ID,
  number: (device: Device) => number,
): void {
  for (const device of devices) {
    const id = number(device);
    const found = lookUp(context, how, id);
    if (found === device.pointer) continue;
    const other = devices.find((d) => d.pointer === found);
    const what =
      found === 0n
        ? 'NULL'
        : other
          ? `the device with the number ${number(other)}`
          : 'a pointer that is no device of the client';
    broken(`${how.function} gave ${what} for the number ${id}`, how.function);
  }
}
