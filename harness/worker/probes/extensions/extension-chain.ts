import { EXTENSIONS, type ExtensionSlot } from '../../../knowledge/abi/index.ts';
import { mappingAt, readMappings } from '../../ffi/mappings.ts';
import { readWord } from '../../ffi/memory.ts';
import {
  BASE_BYTES,
  type ExtensionNode,
  extensionSlots,
  haveSizes,
  knownSlots,
  walkExtensions,
} from '../../pjrt/extensions.ts';
import type { CaseContext } from '../../steps/context.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import { checks, type Run } from '../probe.ts';

/** Offset in PJRT_Api. */
const EXTENSION_START = 8n;

// The chain of extensions of PJRT_Api, looked at without calling any of it.

/** The nodes of the chain. @throws NotSupported if there are none, or if the chain is invalid, which `chain-walk` reports */
function nodesOf(context: CaseContext): readonly ExtensionNode[] {
  const { nodes, faults } = walkExtensions(context.api);
  if (faults.length > 0) throw new NotSupported(`the chain cannot be walked: ${faults[0]}`);
  if (nodes.length === 0) throw new NotSupported('the plugin has no extensions');
  return nodes;
}

const fail = (message: string): never => {
  throw new CheckFailure({ type: 'pjrt.BadExtension', message });
};

const nameOf = (node: ExtensionNode): string => EXTENSIONS.get(node.type)?.name ?? `type ${node.type}`;

type Check = Run<Record<string, never>>;

/** The chain ends, and lies in readable memory. */
const chainWalk: Check = (context) => {
  const { nodes, faults } = walkExtensions(context.api);
  if (nodes.length === 0 && faults.length === 0) throw new NotSupported('the plugin has no extensions');
  if (faults.length > 0) fail(`the extension chain is invalid: ${faults.join('; ')}`);
  const mappings = readMappings();
  const lost = mappings ? nodes.findIndex((n) => !mappingAt(mappings, n.address)?.readable) : -1;
  if (lost >= 0) fail(`extension ${lost} does not lie in readable memory`);
};

/** A known size, or one that ends between two slots. A larger one is from a newer header. */
const chainSizes: Check = (context) => {
  const { minor } = context.api.version;
  if (!haveSizes(context.api)) throw new NotSupported(`extensions of API 0.${minor} have no struct_size`);
  for (const node of nodesOf(context)) {
    if (node.structSize < BASE_BYTES)
      fail(`${nameOf(node)} has struct_size ${node.structSize}, its base has ${BASE_BYTES}`);
    const known = EXTENSIONS.get(node.type);
    if (known?.size === undefined || node.structSize > known.size) continue;
    const cut = known.slots.find((s) => s.offset < node.structSize && node.structSize < s.offset + s.size);
    // The base counted without its own size field: a chain from before 0.45.
    if (cut) fail(`struct_size ${node.structSize} of ${nameOf(node)} ends inside ${cut.name}`);
    if (!known.knownSizes.includes(node.structSize)) {
      context.report({
        type: 'pjrt.BadExtension',
        level: 'should',
        message: `struct_size ${node.structSize} of ${nameOf(node)} is none that a published header gave it (${known.knownSizes.join(', ')})`,
      });
    }
  }
};

/** Functions that callers do not test are there, and every function is code. */
const chainSlots: Check = (context) => {
  const mappings = readMappings();
  for (const node of nodesOf(context)) {
    const words = extensionSlots(node);
    const functions = knownSlots(context.api, node).filter((s) => s.kind === 'function');
    const address = (slot: ExtensionSlot): bigint => words[(slot.offset - BASE_BYTES) / 8] ?? 0n;
    const missing = functions.filter((s) => !s.nullable && address(s) === 0n);
    if (missing.length > 0) {
      context.report({
        type: 'pjrt.BadExtension',
        level: 'should',
        message: `${nameOf(node)} has NULL functions that callers do not test: ${missing.map((s) => s.name).join(', ')}`,
      });
    }
    const wild = functions.filter((s) => address(s) !== 0n && mappings && !mappingAt(mappings, address(s))?.executable);
    if (wild.length > 0) fail(`${nameOf(node)} has functions that are no code: ${wild.map((s) => s.name).join(', ')}`);
  }
};

/** No type occurs twice. */
const chainDuplicates: Check = (context) => {
  const nodes = nodesOf(context);
  const twice = nodes.filter((n, i) => nodes.findIndex((m) => m.type === n.type) !== i);
  if (twice.length > 0)
    fail(`in the chain more than once, so that only the first is found: ${twice.map(nameOf).join(', ')}`);
};

/** Types are current values of the enum. */
const chainTypes: Check = (context) => {
  for (const node of nodesOf(context)) {
    const known = EXTENSIONS.get(node.type);
    if (node.type < 0) fail(`an extension has the type ${node.type}`);
    if (known?.status === 'current') continue;
    const why = known
      ? `${known.name} is a ${known.status} value of the enum`
      : `${node.type} is no value of the known enum`;
    context.report({ type: 'pjrt.UnknownExtension', level: 'should', message: `the extension type ${why}` });
  }
};

/** The same nodes with the same contents as when the library had just been loaded. */
const chainStability: Check = (context) => {
  const { plugin, api, instrument } = context;
  const nodes = nodesOf(context);
  instrument.recording?.beyond('what the chain was like before');
  // The API object keeps what it read at first; the table itself may have changed.
  if (readWord(api.address + EXTENSION_START) !== api.extensionStart) {
    fail('PJRT_Api.extension_start is not what it was when the library was loaded');
  }
  const then = plugin.atLoad.extensions.nodes;
  if (then.length !== nodes.length)
    fail(`the chain had ${then.length} extensions when it was loaded, now ${nodes.length}`);
  for (const [i, node] of nodes.entries()) {
    const before = then[i]!;
    const same = before.address === node.address && before.type === node.type && before.structSize === node.structSize;
    if (!same)
      fail(
        `extension ${i} was ${nameOf(before)} when the library was loaded and is ${nameOf(node)} or another node now`,
      );
  }
};

/** The chain of extensions of the table, looked at without calling any of them. */
export const extensionChain = checks(
  'extension-chain',
  {},
  {
    walk: chainWalk,
    sizes: chainSizes,
    slots: chainSlots,
    duplicates: chainDuplicates,
    types: chainTypes,
    stability: chainStability,
  },
);
