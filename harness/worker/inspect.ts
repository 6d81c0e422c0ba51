import type { Inspection } from '../host/wire/protocol.ts';
import { Abi, EXTENSIONS, versionStanding } from '../knowledge/abi/index.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import { mappingAt, readMappings } from './ffi/mappings.ts';
import { readBytesIfMapped } from './ffi/memory.ts';
import type { PjrtApi } from './pjrt/api.ts';
import type { Client } from './pjrt/client.ts';
import type { Device } from './pjrt/device.ts';
import { AbsentError, PjrtError } from './pjrt/errors.ts';
import { BASE_BYTES, extensionSlots, knownSlots, walkExtensions } from './pjrt/extensions.ts';
import { plainValues } from './pjrt/named-values.ts';
import type { Plugin } from './pjrt/plugin.ts';

/** Facts from the table itself, without calling the plugin. */
export function tableFacts(api: PjrtApi): Partial<PluginFacts> {
  const { major, minor } = api.version;
  const known = Abi.at(minor).functions;
  const behindEnd = functionsBehind(api);
  return {
    apiVersion: { major, minor },
    versionStanding: versionStanding(major, minor),
    tableBytes: api.tableBytes,
    functions: {
      inTable: Math.max(0, Math.floor((api.usableBytes - 40) / 8)),
      known: known.filter((f) => api.slot(f) !== undefined).length,
      nullSlots: known.filter((f) => api.slot(f) === 0n),
      ...(behindEnd.length > 0 ? { behindEnd } : {}),
    },
  };
}

/** Functions of the table's version that are non-NULL beyond its declared size: a caller that ignores the size calls them. */
function functionsBehind(api: PjrtApi): string[] {
  const behind = Abi.at(api.version.minor).functions.filter((f) => api.slot(f) === undefined);
  const mappings = behind.length > 0 ? readMappings() : undefined;
  if (!mappings) return [];
  return behind.filter((name) => {
    const bytes = readBytesIfMapped(api.address + BigInt(api.pluginAbi.slotOffset(name)!), 8);
    if (!bytes) return false;
    return mappingAt(mappings, new DataView(bytes.buffer).getBigUint64(0, true))?.executable === true;
  });
}

/** The extension chain, node by node. */
function extensionFacts(api: PjrtApi): Seen {
  const { nodes, faults } = walkExtensions(api);
  const facts: Partial<PluginFacts> = {
    extensions: nodes.map((node) => {
      const known = EXTENSIONS.get(node.type);
      const words = extensionSlots(node);
      const named = knownSlots(api, node);
      const slots =
        named.length > 0
          ? named.filter((s) => s.kind === 'function')
          : words.map((_, i) => ({ name: `slot ${i}`, offset: BASE_BYTES + i * 8 }));
      return {
        type: node.type,
        name: known?.name ?? `unknown ${node.type}`,
        structSize: node.structSize,
        knownSizes: known ? [...known.knownSizes] : [],
        slots: slots.length,
        nullSlots: slots.filter((s) => words[(s.offset - BASE_BYTES) / 8] === 0n).map((s) => s.name),
      };
    }),
  };
  return { facts, faults };
}

/** Result of querying a plugin, and what is wrong with it. */
interface Seen {
  facts: Partial<PluginFacts>;
  faults?: string[];
}

/** What reports show about a plugin besides its table; every query calls the plugin. */
export function inspect(part: Inspection, plugin: Plugin, client: Client | undefined): Seen {
  if (part === 'extensions') return extensionFacts(plugin.api);
  if (part === 'attributes') {
    return { facts: plugin.api.has('PJRT_Plugin_Attributes') ? { attributes: plainValues(plugin.attributes()) } : {} };
  }
  return { facts: client ? CLIENT_LOOKS[part](client) : {} };
}

/** Of a kind: a pod has thousands of devices, and one that lies millions. */
const LISTED = 1024;

const CLIENT_LOOKS = {
  platform: (client: Client) => ({ platformName: client.platformName(), platformVersion: client.platformVersion() }),
  devices: (client: Client) => {
    const all = client.devices();
    return {
      devices: all.slice(0, LISTED).map(deviceFacts),
      ...(all.length > LISTED ? { deviceCount: all.length } : {}),
    };
  },
  memories: (client: Client) => {
    try {
      const all = client.addressableMemories();
      const memories = all.slice(0, LISTED).map((m) => ({ id: m.id(), kind: m.memoryKind() }));
      return { memories, ...(all.length > LISTED ? { memoryCount: all.length } : {}) };
    } catch (error) {
      // A plugin need not have memories (CLI-MEM-001).
      if (isNotOffered(error)) return {};
      throw error;
    }
  },
};

const isNotOffered = (error: unknown): boolean =>
  error instanceof AbsentError || (error instanceof PjrtError && error.codeName === 'UNIMPLEMENTED');

function deviceFacts(device: Device): NonNullable<PluginFacts['devices']>[number] {
  const description = device.description();
  return { id: description.id(), kind: description.deviceKind(), debug: description.debugString() };
}
