import type { Probe } from '../../steps/steps.ts';
import { broken, hashed, upload } from './support.ts';

/** Every function that returns a memory returns a pointer of the client's list: frameworks look them up by address. */
export const memoryPointers: Probe = (context) => {
  const { arena, client } = context;
  const known = new Set(client.addressableMemories().map((m) => m.pointer));
  const check = (pointer: bigint, function_: string): void => {
    if (!known.has(pointer))
      broken(`${function_} gave ${pointer === 0n ? 'NULL' : 'a memory'} that is not in the client's list`, function_);
  };
  for (const device of client.addressableDevices()) {
    for (const memory of device.memories()) check(memory.pointer, 'PJRT_Device_AddressableMemories');
    check(device.defaultMemory().pointer, 'PJRT_Device_DefaultMemory');
    const buffer = upload(arena, client, hashed('f32', [4]), { device: device.pointer });
    try {
      check(buffer.memory(), 'PJRT_Buffer_Memory');
    } finally {
      buffer.destroy();
    }
  }
};
