import { ifOffered } from '../../steps/device-format.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { broken, hashed, option, same, send } from './support.ts';

const CALL = 'PJRT_Client_BufferFromHostBuffer';

/**
 * Sends an array to every device (`by: device`) or memory (`by: memory`) and checks that it says it is there. Messages
 * name the position in the client's lists. Where it lies is asked as far as the plugin says that.
 */
export const placement: Probe = (context, options) => {
  const { client } = context;
  const data = hashed(option(options, 'dtype', 'f32'), [3, 5]);
  const devices = client.addressableDevices();
  const targets =
    option<string>(options, 'by', 'device') === 'device'
      ? devices.map((d, i) => ({
          what: `device ${i}`,
          where: { device: d.pointer },
          memory: ifOffered(() => d.defaultMemory().pointer),
          devices: [d.pointer],
        }))
      : client.addressableMemories().map((m, i) => ({
          what: `memory ${i}`,
          where: { memory: m.pointer, device: 0n },
          memory: m.pointer,
          devices: m.devices(),
        }));
  for (const target of targets) {
    const { buffer, done } = send(context, data, 'during-call', target.where);
    same(`the buffer on ${target.what}`, data, fetchArray(context, buffer), CALL);
    const device = buffer.device();
    if (!devices.some((d) => d.pointer === device))
      broken(
        `the buffer for ${target.what} is on a device that the client does not have`,
        'PJRT_Buffer_Device',
        'CLI-DEV-004',
      );
    if (!target.devices.includes(device))
      broken(`the buffer for ${target.what} is on another device`, 'PJRT_Buffer_Device', 'BUF-META-008');
    const memory = ifOffered(() => buffer.memory());
    if (memory !== undefined && target.memory !== undefined && memory !== target.memory)
      broken(`the buffer for ${target.what} is in another memory`, 'PJRT_Buffer_Memory', 'BUF-META-009');
    done.destroy();
    buffer.destroy();
  }
};
