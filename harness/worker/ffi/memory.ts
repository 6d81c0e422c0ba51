import { openSync, readSync } from 'node:fs';
import koffi from 'koffi';
import { c, mapPages, PAGE, PROT } from './libc.ts';

/** Native memory of the harness, as an address and as a view. */
export interface Block {
  address: bigint;
  bytes: Uint8Array;
  view: DataView;
}

const CANARY_BYTES = 64;
const CANARY_WORD = 0x5aa55aa5 | 0;

/** A block that ends at an inaccessible page: accessing the byte after it is a SIGSEGV. */
export interface GuardedBlock extends Block {
  /** False if something was written before the block. */
  intact(): boolean;
}

/**
 * Allocates a guarded block. Never freed: blocks are few and reused.
 * @param size bytes; a multiple of the alignment that the contents need, because the block ends at the page's end
 * @param guard false leaves readable bytes after the block (to distinguish an overrun from other crashes)
 */
export function guardedBlock(size: number, guard = true): GuardedBlock {
  const usable = Math.ceil((size + CANARY_BYTES) / PAGE) * PAGE;
  const { address } = mapPages(usable + PAGE);
  if (guard && c.mprotect(address + BigInt(usable), PAGE, PROT.none) !== 0)
    throw new Error('mprotect of a guard page failed');
  const all = koffi.view(address, usable) as ArrayBuffer;
  const canary = new Int32Array(all, usable - size - CANARY_BYTES - ((usable - size) % 4), CANARY_BYTES / 4).fill(
    CANARY_WORD,
  );
  return {
    address: address + BigInt(usable - size),
    bytes: new Uint8Array(all, usable - size, size),
    view: new DataView(all, usable - size, size),
    intact: () => {
      for (let i = 0; i < canary.length; i++) if (canary[i] !== CANARY_WORD) return false;
      return true;
    },
  };
}

/**
 * Zeroed pages that take memory only where something is written, and no view: koffi makes none of 4 GiB.
 * @returns `free` gives them back; they are not reused
 */
export function sparsePages(size: number): { address: bigint; free(): void } {
  const { address, length } = mapPages(size);
  return { address, free: () => void c.munmap(address, length) };
}

/** Inputs of one arena that end at a guard. Each takes two of the 65,000 or so mappings of a process. */
const MOST_GUARDED_INPUTS = 256;

/** Alignment of host arrays in frameworks. */
const INPUT_ALIGN = 64;

/** Native memory that is never garbage-collected while its `Arena` is alive. */
export class Arena {
  readonly #guardsInputs: boolean;
  #chunks: { block: Block; used: number }[] = [];
  #large: Block[] = [];
  #guarded: GuardedBlock[] = [];
  #inputs: { pages: Block; block: Block }[] = [];
  #recorded: Block[] | undefined;
  /** Inputs so far whose size is not a multiple of the alignment. */
  #ragged = 0;

  /** @param guardsInputs whether the inputs of calls end at an inaccessible page */
  constructor({ guardsInputs = false } = {}) {
    this.#guardsInputs = guardsInputs;
  }

  /** Runs something and gives the blocks that it took, besides its result. */
  recording<T>(run: () => T): { value: T; blocks: readonly Block[] } {
    const outer = this.#recorded;
    const blocks: Block[] = [];
    this.#recorded = blocks;
    try {
      return { value: run(), blocks };
    } finally {
      this.#recorded = outer;
      outer?.push(...blocks);
    }
  }

  #record(block: Block): Block {
    this.#recorded?.push(block);
    return block;
  }

  /** Zeroed bytes, aligned to `align` (a power of two up to a page). */
  alloc(size: number, align = 16): Block {
    if (size > 32 * 1024) {
      const block = takePages(size);
      this.#large.push(block);
      return this.#record(slice(block, 0, size));
    }
    let chunk = this.#chunks.at(-1);
    let start = chunk ? Math.ceil(chunk.used / align) * align : 0;
    if (!chunk || start + size > chunk.block.bytes.length) {
      chunk = { block: takePages(64 * 1024), used: 0 };
      this.#chunks.push(chunk);
      start = 0;
    }
    chunk.used = start + size;
    const block = slice(chunk.block, start, size);
    block.bytes.fill(0);
    return this.#record(block);
  }

  /** Zeroed bytes that end at an inaccessible page. */
  guarded(size: number): Block {
    const block = freeGuarded.get(size)?.pop() ?? guardedBlock(size);
    block.bytes.fill(0);
    this.#guarded.push(block);
    return this.#record(block);
  }

  /** A copy of bytes in native memory. */
  copy(bytes: Uint8Array, align = 16): Block {
    const block = this.alloc(Math.max(bytes.length, 1), align);
    block.bytes.set(bytes);
    return block;
  }

  /**
   * A copy of bytes as input of a call. If the arena guards inputs, reading past its end is a SIGSEGV. It is aligned to 64
   * like host arrays of frameworks, and ends at the guard; if the size allows only one of the two, every other block is
   * aligned. Not for memory that a buffer keeps.
   */
  input(bytes: Uint8Array): Block {
    if (bytes.length === 0 || !this.#canGuard()) return this.copy(bytes, INPUT_ALIGN);
    const aligned = bytes.length % INPUT_ALIGN !== 0 && this.#ragged++ % 2 === 1;
    return this.#beforeGuard(bytes, aligned ? Math.ceil(bytes.length / INPUT_ALIGN) * INPUT_ALIGN : bytes.length);
  }

  /** UTF-8 bytes followed by a NUL that is not part of the length. */
  text(text: string): Block & { length: number } {
    const bytes = Buffer.from(text, 'utf8');
    const block = this.alloc(bytes.length + 1, 1);
    block.bytes.set(bytes);
    return { ...block, length: bytes.length };
  }

  /** Addresses as a C array. */
  pointers(addresses: readonly bigint[]): Block {
    const block = this.alloc(Math.max(8, addresses.length * 8), 8);
    addresses.forEach((a, i) => {
      block.view.setBigUint64(i * 8, a, true);
    });
    return block;
  }

  /** Signed 64-bit integers as a C array for the input of a call, guarded like `input`. */
  int64s(values: readonly (number | bigint)[]): Block {
    const words = BigInt64Array.from(values, BigInt);
    const bytes = new Uint8Array(words.buffer);
    return bytes.length > 0 && this.#canGuard() ? this.#beforeGuard(bytes, bytes.length) : this.copy(bytes, 8);
  }

  #canGuard = (): boolean => this.#guardsInputs && this.#inputs.length < MOST_GUARDED_INPUTS;

  /** @param room bytes from the beginning of the block to the guard */
  #beforeGuard(bytes: Uint8Array, room: number): Block {
    const pages = takeGuardedPages(room);
    const block = slice(pages, pages.bytes.length - room, bytes.length);
    block.bytes.set(bytes);
    this.#inputs.push({ pages, block });
    return this.#record(block);
  }

  /** Overwrites everything allocated, for checks that nothing reads it later. */
  scrub(byte: number): void {
    for (const { block, used } of this.#chunks) block.bytes.fill(byte, 0, used);
    for (const block of [...this.#large, ...this.#guarded]) block.bytes.fill(byte);
    for (const { block } of this.#inputs) block.bytes.fill(byte);
  }

  /** Releases the memory for reuse; addresses allocated before are invalid afterwards. */
  release(): void {
    for (const { block } of this.#chunks) release(block);
    for (const block of this.#large) release(block);
    for (const block of this.#guarded) keep(freeGuarded, block);
    for (const { pages } of this.#inputs) keep(freeGuardedPages, pages);
    this.#chunks = [];
    this.#large = [];
    this.#guarded = [];
    this.#inputs = [];
    this.#ragged = 0;
  }
}

const slice = (block: Block, start: number, size: number): Block => ({
  address: block.address + BigInt(start),
  bytes: block.bytes.subarray(start, start + size),
  view: new DataView(block.bytes.buffer, block.bytes.byteOffset + start, size),
});

// Pages are recycled by size class: new mappings and views for every case would cost more than the case.
const free = new Map<number, Block[]>();
const freeGuarded = new Map<number, GuardedBlock[]>();
const freeGuardedPages = new Map<number, Block[]>();

/** Pages before an inaccessible one, in a few sizes so that they can be reused. */
function takeGuardedPages(size: number): Block {
  const pages = Math.ceil(size / PAGE);
  const length = PAGE * (pages <= 2 ? pages : 2 ** Math.ceil(Math.log2(pages)));
  const kept = freeGuardedPages.get(length)?.pop();
  if (kept) return kept;
  const { address } = mapPages(length + PAGE);
  if (c.mprotect(address + BigInt(length), PAGE, PROT.none) !== 0) throw new Error('mprotect of a guard page failed');
  const buffer = koffi.view(address, length) as ArrayBuffer;
  return { address, bytes: new Uint8Array(buffer), view: new DataView(buffer) };
}

function takePages(size: number): Block {
  const length = size <= 64 * 1024 ? 64 * 1024 : 2 ** Math.ceil(Math.log2(size));
  const kept = free.get(length)?.pop();
  if (kept) {
    if (!isGivenBack(kept)) kept.bytes.fill(0);
    return kept;
  }
  const { address } = mapPages(length);
  const buffer = koffi.view(address, length) as ArrayBuffer;
  return { address, bytes: new Uint8Array(buffer), view: new DataView(buffer) };
}

const release = (block: Block): void => keep(free, block);

/** Of larger blocks only the addresses are kept: their pages would add up to the largest arrays of all cases. */
const LARGE = 1 << 20;
const MADV_DONTNEED = 4;

/** Whether the pages of an unused block are with the system, which gives zeroed ones when they are used again (Linux). */
const isGivenBack = ({ bytes }: Block): boolean => process.platform === 'linux' && bytes.length >= LARGE;

function giveBack({ address, bytes }: Pick<Block, 'address' | 'bytes'>): void {
  if (process.platform === 'linux') c.madvise(address, bytes.length, MADV_DONTNEED);
}

/**
 * The first bytes of a block, whose contents are not needed any more: of a large one, each piece goes back to the system as
 * soon as it is copied.
 */
export function moveOut({ address, bytes }: Block, length: number): Uint8Array {
  if (length < LARGE) return bytes.slice(0, length);
  const out = new Uint8Array(length);
  for (let at = 0; at < length; at += LARGE) {
    const piece = bytes.subarray(at, Math.min(at + LARGE, length));
    out.set(piece, at);
    giveBack({ address: address + BigInt(at), bytes: piece });
  }
  return out;
}

function keep<B extends Block>(blocks: Map<number, B[]>, block: B): void {
  if (isGivenBack(block)) giveBack(block);
  const list = blocks.get(block.bytes.length) ?? [];
  list.push(block);
  blocks.set(block.bytes.length, list);
}

/** Copies `length` bytes from an address given by the plugin. */
export function readBytes(address: bigint, length: number): Uint8Array {
  const out = new Uint8Array(length);
  if (length > 0) c.memcpy(out, address, length);
  return out;
}

let ownMemory: number | undefined;

/**
 * Copies bytes from an address that may be invalid; undefined if nothing is mapped there (where the system can check: Linux).
 */
export function readBytesIfMapped(address: bigint, length: number): Uint8Array | undefined {
  if (process.platform !== 'linux') return readBytes(address, length);
  const out = new Uint8Array(length);
  try {
    ownMemory ??= openSync('/proc/self/mem', 'r');
    return readSync(ownMemory, out, 0, length, address) === length ? out : undefined;
  } catch {
    return undefined;
  }
}

/** Copies bytes to an address (a plugin's host-visible memory). */
export function writeBytes(address: bigint, bytes: Uint8Array): void {
  if (bytes.length > 0) c.memcpy(address, bytes, bytes.length);
}

/** One little-endian unsigned 64-bit word at an address. */
export function readWord(address: bigint): bigint {
  const bytes = readBytes(address, 8);
  return new DataView(bytes.buffer).getBigUint64(0, true);
}

/** A live view of memory that the plugin owns and never moves (its function table). */
export function viewMemory(address: bigint, length: number): DataView {
  return new DataView(koffi.view(address, length) as ArrayBuffer);
}
