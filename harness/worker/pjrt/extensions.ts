import { readBytesIfMapped } from '../ffi/memory.ts';
import type { PjrtApi } from './api.ts';

/** One node of an extension chain in memory. */
export interface ExtensionNode {
  address: bigint;
  type: number;
  structSize: number;
  next: bigint;
}

export interface ExtensionChain {
  nodes: ExtensionNode[];
  /** What is wrong with the chain, in words; the walk stops there. */
  faults: string[];
}

const BASE_BYTES = 24;
const MAX_NODES = 64;
const MAX_NODE_BYTES = 4096;

/** Walks the chain of PJRT_Api with a bound and a visited set. Before 0.45 nodes had no struct_size. */
export function walkExtensions(api: PjrtApi): ExtensionChain {
  const nodes: ExtensionNode[] = [];
  const faults: string[] = [];
  const seen = new Set<bigint>();
  const headless = api.version.minor < 45;
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
    const bytes = readBytesIfMapped(address, headless ? 16 : BASE_BYTES);
    if (!bytes) {
      faults.push(`node ${nodes.length} does not lie in readable memory`);
      break;
    }
    const view = new DataView(bytes.buffer);
    const node = headless
      ? { address, structSize: 16, type: view.getInt32(0, true), next: view.getBigUint64(8, true) }
      : {
          address,
          structSize: Number(view.getBigUint64(0, true)),
          type: view.getInt32(8, true),
          next: view.getBigUint64(16, true),
        };
    nodes.push(node);
    if (!headless && (node.structSize < BASE_BYTES || node.structSize > MAX_NODE_BYTES)) {
      faults.push(
        `node ${nodes.length - 1} (type ${node.type}) declares struct_size ${node.structSize}; ${BASE_BYTES} to ${MAX_NODE_BYTES} is possible`,
      );
      break;
    }
    address = node.next;
  }
  return { nodes, faults };
}

/** Pointer-sized words of a node after its base, up to its own struct_size. */
export function extensionSlots(node: ExtensionNode): bigint[] {
  const count = Math.max(0, Math.floor((Math.min(node.structSize, MAX_NODE_BYTES) - BASE_BYTES) / 8));
  const bytes = readBytesIfMapped(node.address + BigInt(BASE_BYTES), count * 8);
  if (!bytes) return [];
  const view = new DataView(bytes.buffer);
  return Array.from({ length: count }, (_, i) => view.getBigUint64(i * 8, true));
}
