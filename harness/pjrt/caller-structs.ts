import type { StructLayout } from '../abi/index.ts';
import { Arena } from '../ffi/memory.ts';
import type { Caller } from '../wire/caller.ts';
import type { StructView } from './struct-view.ts';

/** By how much a future version's structs are longer than those that are known. */
const EXTRA_BYTES = 64;
const NODE_BYTES = 24;
/** Far above what has been given out, so that no plugin can know them. */
const UNKNOWN_TYPES = [9998, 9999];

/**
 * The structs that a caller sends. The harness itself declares the end of the last field, as sound headers do. A caller of
 * an older version declares what the header of that version said, mistakes included. One newer than any plugin sends the
 * fields that are known, more of them behind, all zero, and extension nodes that nobody knows.
 */
export class CallerStructs {
  readonly #caller: Caller;
  readonly #arena = new Arena();
  readonly #chain: bigint | undefined;

  constructor(caller: Caller) {
    this.#caller = caller;
    this.#chain = caller.newer ? this.#unknownNodes() : undefined;
  }

  /** Bytes behind the known fields of a struct; none behind one that does not say its own size. */
  extraBytes(layout: StructLayout): number {
    return this.#caller.newer && sized(layout) ? EXTRA_BYTES : 0;
  }

  /** The struct_size to declare. */
  declared(layout: StructLayout): number {
    if (this.#caller.newer && sized(layout)) return layout.size + EXTRA_BYTES;
    return (this.#caller.minor === undefined ? undefined : layout.declaredSize) ?? layout.structSize;
  }

  /** Hangs the unknown nodes on an argument block that has a place for them. */
  attach(call: StructView): void {
    if (this.#chain === undefined) return;
    if (call.layout.fields.some((f) => f.name === 'extension_start')) call.setWord('extension_start', this.#chain);
  }

  #unknownNodes(): bigint {
    const block = this.#arena.alloc(NODE_BYTES * UNKNOWN_TYPES.length, 8);
    UNKNOWN_TYPES.forEach((type, i) => {
      const last = i === UNKNOWN_TYPES.length - 1;
      block.view.setBigUint64(i * NODE_BYTES, BigInt(NODE_BYTES), true);
      block.view.setInt32(i * NODE_BYTES + 8, type, true);
      block.view.setBigUint64(i * NODE_BYTES + 16, last ? 0n : block.address + BigInt((i + 1) * NODE_BYTES), true);
    });
    return block.address;
  }
}

const sized = (layout: StructLayout): boolean => layout.fields[0]?.name === 'struct_size';
