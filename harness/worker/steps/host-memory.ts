import type { Arena, Block } from '../ffi/memory.ts';
import { checkUnchanged, type HeldMemory } from './held-memory.ts';

/** What the harness writes over host memory that it may use again. */
const REUSED = 0x5a;
/** Bytes up to which it is compared before. */
const COMPARED = 8 << 20;

/** Host memory that a transfer reads, and what the harness has left in it. */
export class HostMemory {
  readonly #block: Block;
  #left: Uint8Array;
  #reused = false;

  /**
   * @param surrounded with more memory around it, as frameworks give it, instead of before an inaccessible page
   * @param misaligned bytes by which it is off a multiple of 64, with more around it
   */
  constructor(arena: Arena, bytes: Uint8Array, surrounded: boolean, misaligned = 0) {
    this.#block = surrounded || misaligned > 0 ? withMoreAround(arena, bytes, misaligned) : arena.input(bytes);
    this.#left = bytes;
  }

  get address(): bigint {
    return this.#block.address;
  }

  get bytes(): Uint8Array {
    return this.#block.bytes;
  }

  /** The plugin may only read it: it must hold what the harness has left there. */
  get held(): HeldMemory {
    return {
      call: 'PJRT_Client_BufferFromHostBuffer',
      violated: 'the plugin wrote into host memory that it may only read',
      address: this.address,
      bytes: this.#left.slice(),
    };
  }

  /** Overwrites it, once. @param readOnly whether the plugin may only have read it @throws CheckFailure */
  reuse(readOnly: boolean): void {
    if (this.#reused) return;
    this.#reused = true;
    const { bytes } = this;
    // A comparison of much memory would take as long as the transfer whose end is in question.
    if (readOnly && bytes.length <= COMPARED) checkUnchanged(this.held);
    // What is read last is overwritten first.
    const middle = bytes.length >> 1;
    bytes.fill(REUSED, middle).fill(REUSED, 0, middle);
    this.#left = new Uint8Array(bytes.length).fill(REUSED);
  }
}

function withMoreAround(arena: Arena, bytes: Uint8Array, misaligned: number): Block {
  const room = arena.alloc(bytes.length + misaligned + 1, 64);
  const host = {
    address: room.address + BigInt(misaligned),
    bytes: room.bytes.subarray(misaligned, misaligned + bytes.length),
    view: room.view,
  };
  host.bytes.set(bytes);
  return host;
}
