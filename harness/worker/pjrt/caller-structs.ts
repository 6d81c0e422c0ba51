import type { Caller } from '../../knowledge/abi/caller.ts';
import type { StructLayout } from '../../knowledge/abi/index.ts';
import { type Arena, type Block, type GuardedBlock, guardedBlock } from '../ffi/memory.ts';
import type { StructView } from './struct-view.ts';

/** Additional size of a future version's structs. */
const EXTRA_BYTES = 64;
const NODE_BYTES = 24;
/** Far above all assigned extension types, so that no plugin can know them. */
const UNKNOWN_TYPES = [9998, 9999];

/** A change by the plugin to parts of an argument struct that it cannot know. */
interface Trespass {
  requirement: string;
  /** Follows the name of the call. */
  message: string;
}

/**
 * The structs that a consumer sends. By default the harness declares the end of the last field, as correct headers do. A
 * consumer of an older version declares what the header of that version did, mistakes included. One newer than any plugin
 * sends the known fields, zeros beyond them, and unknown extension nodes.
 */
export class CallerStructs {
  readonly #caller: Caller;
  readonly #complete: boolean;
  readonly #nodes: readonly GuardedBlock[];
  /** The nodes as created. */
  readonly #pristine: readonly Uint8Array[];

  /**
   * @param complete whether the layouts have every field that the plugin may know
   */
  constructor(caller: Caller, { complete = true } = {}) {
    this.#caller = caller;
    this.#complete = complete;
    this.#nodes = caller.newer ? unknownNodes() : [];
    this.#pristine = this.#nodes.map((node) => node.bytes.slice());
  }

  /** Extra bytes after the known fields of a struct; none if it does not declare its own size. */
  extraBytes(layout: StructLayout): number {
    return this.#caller.newer && layout.sized ? EXTRA_BYTES : 0;
  }

  /** The struct_size of a struct with this many extra bytes. */
  declared(layout: StructLayout, extra = this.extraBytes(layout)): number {
    if (extra > 0) return layout.size + extra;
    return (this.#caller.minor === undefined ? undefined : layout.declaredSize) ?? layout.structSize;
  }

  /**
   * Memory for structs besides the arguments. It ends at a guard page if the consumer is not the one that the plugin expects.
   */
  allocate(arena: Arena, bytes: number, name: string): Block {
    const foreign = this.#caller.newer === true || this.#caller.minor !== undefined;
    return foreign ? arena.guarded(bytes, name) : arena.alloc(Math.max(8, bytes), 16);
  }

  /** Chains the unknown nodes to an argument block that has a place for them. */
  attach(call: StructView): void {
    const [first] = this.#nodes;
    if (first && call.layout.has('extension_start')) call.setWord('extension_start', first.address);
  }

  /** The bytes of an argument block that no plugin knows, right before a call; undefined if there are none. */
  watch(layout: StructLayout, bytes: Uint8Array): Uint8Array | undefined {
    return this.#caller.newer && this.#complete ? bytes.slice(layout.size) : undefined;
  }

  /** What a call has changed that its plugin cannot know: the bytes after the known fields, and the nodes. */
  trespass(layout: StructLayout, bytes: Uint8Array, before: Uint8Array | undefined): Trespass | undefined {
    if (!this.#caller.newer) return undefined;
    if (before && Buffer.compare(bytes.subarray(layout.size), before) !== 0) {
      return {
        requirement: 'ABI-ARGS-002',
        message: `wrote into fields that it does not know, behind its own ${layout.size} bytes`,
      };
    }
    if (this.#nodes.every((node, i) => Buffer.compare(node.bytes, this.#pristine[i]!) === 0)) return undefined;
    this.#nodes.forEach((node, i) => {
      node.bytes.set(this.#pristine[i]!);
    });
    return { requirement: 'ABI-ARGS-007', message: 'wrote into an extension of a type that it does not know' };
  }
}

/** Each node ends at a guard page: reading past its base crashes. */
function unknownNodes(): GuardedBlock[] {
  let next = 0n;
  return UNKNOWN_TYPES.toReversed()
    .map((type) => {
      const node = guardedBlock(NODE_BYTES, 'PJRT_Extension_Base');
      node.view.setBigUint64(0, BigInt(NODE_BYTES), true);
      node.view.setInt32(8, type, true);
      node.view.setBigUint64(16, next, true);
      next = node.address;
      return node;
    })
    .reverse();
}
