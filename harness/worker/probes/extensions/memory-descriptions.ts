import type { DeviceDescription } from '../../pjrt/device.ts';
import type { PluginExtension } from '../../pjrt/extension-call.ts';
import { readPointers, readText } from '../../pjrt/strings.ts';
import type { Topology } from '../../pjrt/topology.ts';
import type { CaseContext } from '../../steps/context.ts';
import { probe } from '../probe.ts';
import { extensionOf, fail, warn } from './support.ts';

const NONE = 0xffffffffffffffffn;

interface Described {
  kinds: string[];
  ids: number[];
  /** Index of the default memory, undefined for none. */
  standard: number | undefined;
}

/** Memories of the descriptions of a topology. */
export const memoriesOfTopology = probe('extension-memories-of-topology', {}, (context) => {
  const extension = extensionOf(context, 'MemoryDescriptions');
  for (const d of (context.resolve('topology') as Topology).deviceDescriptions()) describe(context, extension, d);
});

/** What the descriptions of the client's devices say of memories is what the devices have. */
export const memoriesOfDevices = probe('extension-memories-of-devices', {}, (context) => {
  const extension = extensionOf(context, 'MemoryDescriptions');
  for (const device of context.client.addressableDevices()) {
    const described = describe(context, extension, device.description());
    const memories = device.memories();
    const absent = memories.map((m) => m.memoryKind()).filter((kind) => !described.kinds.includes(kind));
    if (absent.length > 0) {
      warn(context, extension, `memories of a device are not described: ${[...new Set(absent)].join(', ')}`);
      return;
    }
    if (described.standard === undefined || memories.length === 0) continue;
    const kind = device.defaultMemory().memoryKind();
    if (described.kinds[described.standard] !== kind) {
      warn(context, extension, `the default is described as ${described.kinds[described.standard]} and is ${kind}`);
      return;
    }
  }
});

function describe(context: CaseContext, extension: PluginExtension, of: DeviceDescription): Described {
  const first = read(extension, of);
  const second = read(extension, of);
  if (first.kinds.join() !== second.kinds.join()) warn(context, extension, 'the descriptions differ the second time');
  if (first.kinds.some((kind) => kind === '')) warn(context, extension, 'a memory description has an empty kind');
  for (const [i, kind] of first.kinds.entries()) {
    const twin = first.ids.findIndex((id, j) => (id === first.ids[i]) !== (first.kinds[j] === kind));
    if (twin >= 0) fail(extension, `kinds and kind ids do not go together: ${kind} and ${first.kinds[twin]}`);
  }
  return first;
}

function read(extension: PluginExtension, of: DeviceDescription): Described {
  const { pointers, standard } = extension.invoke(
    'PJRT_DeviceDescription_MemoryDescriptions',
    (call) => call.setWord('device_description', of.pointer),
    (call) => ({
      pointers: readPointers(call.word('memory_descriptions'), call.size('num_memory_descriptions')),
      standard: call.word('default_memory_index'),
    }),
  );
  if (pointers.some((p) => p === 0n)) fail(extension, 'a memory description is NULL');
  if (standard !== NONE && standard >= BigInt(pointers.length)) {
    fail(extension, `the default index is ${standard}, there are ${pointers.length} descriptions`);
  }
  const described = pointers.map((pointer) =>
    extension.invoke(
      'PJRT_MemoryDescription_Kind',
      (call) => call.setWord('memory_description', pointer),
      (call) => ({ kind: readText(call.word('kind'), call.size('kind_size')), id: call.int('kind_id') }),
    ),
  );
  return {
    kinds: described.map((d) => d.kind),
    ids: described.map((d) => d.id),
    standard: standard === NONE ? undefined : Number(standard),
  };
}
