import { Abi, EXTENSIONS, versionStanding } from '../abi/index.ts';
import type { PjrtApi } from '../pjrt/api.ts';
import type { Client } from '../pjrt/client.ts';
import { extensionSlots, walkExtensions } from '../pjrt/extensions.ts';
import { plainValues } from '../pjrt/named-values.ts';
import type { Plugin } from '../pjrt/plugin.ts';
import type { PluginFacts } from '../report/events.ts';

/** What the table itself says: nothing of the plugin is called. */
export function tableFacts(api: PjrtApi): Partial<PluginFacts> {
  const { major, minor } = api.version;
  const known = Abi.at(minor).functions;
  return {
    apiVersion: { major, minor },
    versionStanding: versionStanding(major, minor),
    tableBytes: api.tableBytes,
    functions: {
      inTable: Math.max(0, Math.floor((api.tableBytes - 40) / 8)),
      known: known.filter((f) => api.slot(f) !== undefined).length,
      nullSlots: known.filter((f) => api.slot(f) === 0n),
    },
  };
}

/** The extension chain, node by node. */
export function extensionFacts(api: PjrtApi): Partial<PluginFacts> {
  const { nodes } = walkExtensions(api);
  return {
    extensions: nodes.map((node) => {
      const known = EXTENSIONS.get(node.type);
      const words = extensionSlots(node);
      const slots = known
        ? known.slots.filter((s) => s.kind === 'function' && s.offset + s.size <= node.structSize)
        : words.map((_, i) => ({ name: `slot ${i}`, offset: 24 + i * 8 }));
      return {
        type: node.type,
        name: known?.name ?? `unknown ${node.type}`,
        structSize: node.structSize,
        knownSizes: known ? [...known.knownSizes] : [],
        slots: slots.length,
        nullSlots: slots.filter((s) => words[(s.offset - 24) / 8] === 0n).map((s) => s.name),
      };
    }),
  };
}

export function attributeFacts(plugin: Plugin): Partial<PluginFacts> {
  return { attributes: plainValues(plugin.attributes()) };
}

export function clientFacts(client: Client): Partial<PluginFacts> {
  return {
    platformName: client.platformName(),
    platformVersion: client.platformVersion(),
    devices: client.devices().map((d) => {
      const description = d.description();
      return { id: description.id(), kind: description.deviceKind(), debug: description.debugString() };
    }),
    memories: client.addressableMemories().map((m) => ({ id: m.id(), kind: m.memoryKind() })),
  };
}
