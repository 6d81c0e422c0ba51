import { EXTENSIONS, type ExtensionSlot, isLayoutKnown } from '../../knowledge/abi/index.ts';
import { readBytesIfMapped } from '../ffi/memory.ts';
import type { PjrtApi } from './api.ts';

/** One node of an extension chain in memory. */
export interface ExtensionNode {
  address: bigint;
  type: number;
  /** Of a node that declares none: the size that the oldest layout of its type would have with one. */
  structSize: number;
  next: bigint;
  /** Address of what follows the base. */
  slotsAt: bigint;
}

export interface ExtensionChain {
  nodes: ExtensionNode[];
  /** What is wrong with the chain, in words; the walk stops there. */
  faults: string[];
}

/** Bytes of PJRT_Extension_Base, after which the slots of all layouts begin. */
export const BASE_BYTES = 24;
/** The same before 0.45, when it had no struct_size. */
const OLD_BASE_BYTES = 16;
const MAX_NODES = 64;
const MAX_NODE_BYTES = 4096;

/** Whether the nodes of a plugin declare their size, as they do from 0.45 on. */
export const haveSizes = ({ version }: PjrtApi): boolean => version.minor >= 45;

/** Walks the chain of PJRT_Api with a bound and a visited set. */
export function walkExtensions(api: PjrtApi): ExtensionChain {
  const nodes: ExtensionNode[] = [];
  const faults: string[] = [];
  const seen = new Set<bigint>();
  const sized = haveSizes(api);
  const baseBytes = sized ? BASE_BYTES : OLD_BASE_BYTES;
  let address = api.extensionStart;
  while (address !== 0n) {
    if (seen.has(address)) {
      faults.push(`the chain is cyclic: node ${nodes.length} is a node seen before`);
      break;
    }
    if (nodes.length >= MAX_NODES) {
      faults.push(`the chain does not end within ${MAX_NODES} nodes`);
      break;
    }
    if (address % 8n !== 0n) {
      faults.push(`node ${nodes.length} is not aligned to 8 bytes`);
      break;
    }
    seen.add(address);
    const bytes = readBytesIfMapped(address, baseBytes);
    if (!bytes) {
      faults.push(`node ${nodes.length} does not lie in readable memory`);
      break;
    }
    const view = new DataView(bytes.buffer);
    const type = view.getInt32(sized ? 8 : 0, true);
    const structSize = sized ? Number(view.getBigUint64(0, true)) : (EXTENSIONS.get(type)?.knownSizes[0] ?? BASE_BYTES);
    const next = view.getBigUint64(sized ? 16 : 8, true);
    const node = { address, type, structSize, next, slotsAt: address + BigInt(baseBytes) };
    nodes.push(node);
    if (sized && (node.structSize < BASE_BYTES || node.structSize > MAX_NODE_BYTES)) {
      faults.push(
        `node ${nodes.length - 1} (type ${node.type}) declares struct_size ${node.structSize}; ${BASE_BYTES} to ${MAX_NODE_BYTES} is possible`,
      );
      break;
    }
    address = node.next;
  }
  return { nodes, faults };
}

/** The slots inside a node; none where its layout is not known, whose words have no names then. */
export function knownSlots({ version }: PjrtApi, node: ExtensionNode): readonly ExtensionSlot[] {
  const known = EXTENSIONS.get(node.type);
  if (known?.struct === undefined || !isLayoutKnown(known.struct, version.minor)) return [];
  return known.slots.filter((slot) => slot.offset + slot.size <= node.structSize);
}

/** Pointer-sized words of a node after its base, up to its own struct_size. */
export function extensionSlots(node: ExtensionNode): bigint[] {
  const count = Math.max(0, Math.floor((Math.min(node.structSize, MAX_NODE_BYTES) - BASE_BYTES) / 8));
  const bytes = readBytesIfMapped(node.slotsAt, count * 8);
  if (!bytes) return [];
  const view = new DataView(bytes.buffer);
  return Array.from({ length: count }, (_, i) => view.getBigUint64(i * 8, true));
}
