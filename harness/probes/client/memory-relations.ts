import type { CaseContext } from '../../steps/context.ts';
import { SuiteFault } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, unlessUnimplemented } from './support.ts';

const DEVICE_LIST = 'PJRT_Device_AddressableMemories';
const CLIENT_LIST = 'PJRT_Client_AddressableMemories';
const BY_DEVICES = 'PJRT_Memory_AddressableByDevices';
const DEFAULT = 'PJRT_Device_DefaultMemory';

/** One rule on which devices and memories belong together. */
export const memoryRelations: Probe = (context, options) => {
  const rule = RULES[String(options.rule)];
  if (!rule) throw new SuiteFault(`rule is one of ${Object.keys(RULES).join(', ')}`);
  rule(context);
};

const pointers = (handles: readonly { pointer: bigint }[]): bigint[] => handles.map((h) => h.pointer);

const RULES: Readonly<Record<string, (context: CaseContext) => void>> = {
  union: ({ client }) => {
    const listed = new Set(pointers(client.addressableMemories()));
    const ofDevices = new Set(client.addressableDevices().flatMap((d) => pointers(d.memories())));
    const missing = [...ofDevices].filter((m) => !listed.has(m)).length;
    const surplus = [...listed].filter((m) => !ofDevices.has(m)).length;
    if (missing > 0) broken(`${missing} memories of devices are not in the client's list`, CLIENT_LIST);
    if (surplus > 0) broken(`${surplus} memories of the client belong to none of its devices`, CLIENT_LIST);
  },
  'device-lists-stable': ({ client }) => {
    unlessUnimplemented(() => {
      for (const device of client.addressableDevices()) {
        const [first, second] = [pointers(device.memories()), pointers(device.memories())];
        if (first.join() !== second.join())
          broken(`the memories of the device with the id ${device.id()} differ from one call to the next`, DEVICE_LIST);
        if (new Set(first).size !== first.length || first.includes(0n))
          broken(`the memories of the device with the id ${device.id()} hold NULL, or one of them twice`, DEVICE_LIST);
      }
    });
  },
  default: ({ client }) => {
    for (const device of client.addressableDevices()) {
      const memory = device.defaultMemory().pointer;
      if (!pointers(device.memories()).includes(memory))
        broken(`the default memory of the device with the id ${device.id()} is none of its memories`, DEFAULT);
      if (device.defaultMemory().pointer !== memory)
        broken(`the default memory of the device with the id ${device.id()} changes`, DEFAULT);
    }
  },
  'has-devices': ({ client }) => {
    for (const memory of client.addressableMemories()) {
      const devices = memory.devices();
      if (devices.length === 0) broken(`the memory with the id ${memory.id()} is reachable from no device`, BY_DEVICES);
      if (new Set(devices).size !== devices.length || devices.includes(0n))
        broken(`the devices of the memory with the id ${memory.id()} hold NULL, or one of them twice`, BY_DEVICES);
    }
  },
  inverse: ({ client }) => {
    const memories = client.addressableMemories();
    for (const device of client.addressableDevices()) {
      const own = new Set(pointers(device.memories()));
      for (const memory of memories) {
        const forward = own.has(memory.pointer);
        const back = memory.devices().includes(device.pointer);
        if (forward === back) continue;
        const [one, other] = [`the device with the id ${device.id()}`, `the memory with the id ${memory.id()}`];
        broken(
          forward ? `${one} names ${other}, which does not name it` : `${other} names ${one}, which does not name it`,
          BY_DEVICES,
        );
      }
    }
  },
};
