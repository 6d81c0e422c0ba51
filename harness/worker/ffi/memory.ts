import { openSync, readSync } from 'node:fs';
import koffi from 'koffi';
import { allocations, foreignWrites } from './allocations.ts';
import type { Block } from './block.ts';
import { lend, takeBack, track } from './lent-blocks.ts';
import { c, mapBetween, mapPages, PAGE } from './libc.ts';

export type { Block };

const CANARY_BYTES = 64;
const CANARY_WORD = 0x5aa55aa5 | 0;

/** A block that ends at inaccessible memory: accessing the byte after it is a SIGSEGV. */
export interface GuardedBlock extends Block {
  /** Its place in the table of what is lent. */
  record: number;
  /** False if something was written before the block. */
  intact(): boolean;
}

/**
 * Allocates a guarded block. Never freed: blocks are few and reused.
 * @param size bytes; a multiple of the alignment that the contents need, because the block ends at the page's end
 * @param name what it is called if the plugin goes past its end
 */
export function guardedBlock(size: number, name: string): GuardedBlock {
  const { address, bytes, record } = guardedPages(size + CANARY_BYTES);
  const usable = bytes.length;
  lend(record, address + BigInt(usable - size), size, name);
  const all = bytes.buffer as ArrayBuffer;
  const canary = new Int32Array(all, usable - size - CANARY_BYTES - ((usable - size) % 4), CANARY_BYTES / 4).fill(
    CANARY_WORD,
  );
  const block: Block = {
    address: address + BigInt(usable - size),
    bytes: new Uint8Array(all, usable - size, size),
    view: new DataView(all, usable - size, size),
  };
  allocations.report(block);
  return {
    record,
    ...block,
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

/** What of one arena ends at a guard. Each takes two of the 65,000 or so mappings of a process. */
const MOST_GUARDED = 256;

/** Alignment of host arrays in frameworks. */
const INPUT_ALIGN = 64;

/** Native memory that is never garbage-collected while its `Arena` is alive. */
export class Arena {
  readonly #guardsInputs: boolean;
  #chunks: { block: Block; used: number }[] = [];
  #large: Block[] = [];
  #guarded: GuardedBlock[] = [];
  #lent: { pages: GuardedPages; block: Block }[] = [];
  #recorded: Block[] | undefined;
  /** Inputs so far whose size is not a multiple of the alignment. */
  #ragged = 0;

  /** @param guardsInputs whether what calls read, and what they write, ends at inaccessible memory */
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
    allocations.report(block);
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

  /** Zeroed bytes for structs of one name that end at inaccessible memory. */
  guarded(size: number, name: string): Block {
    const block = freeGuarded.get(size)?.pop() ?? guardedBlock(size, name);
    lend(block.record, block.address, size, name);
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
   * @param name the argument's, for the case that the plugin goes past the end
   */
  input(bytes: Uint8Array, name = 'data'): Block {
    if (bytes.length === 0 || !this.#canGuard()) return this.copy(bytes, INPUT_ALIGN);
    const aligned = bytes.length % INPUT_ALIGN !== 0 && this.#ragged++ % 2 === 1;
    return this.#filled(bytes, name, aligned ? Math.ceil(bytes.length / INPUT_ALIGN) * INPUT_ALIGN : bytes.length);
  }

  /**
   * Room for what a call writes, with bytes before and after it that the harness can watch. If the arena guards, writing past
   * all of it is a SIGSEGV. Its contents are whatever was there.
   */
  room(size: number, name: string, { before = 0, after = 0, align = 8 } = {}): Block {
    const whole = before + size + after;
    if (!this.#canGuard()) return this.alloc(whole, align);
    // Of a large one, pages go back to the system one by one.
    const step = whole < LARGE ? align : PAGE;
    return this.#beforeGuard(whole, name, Math.ceil(whole / step) * step, { from: before, to: before + size });
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
  int64s(values: readonly (number | bigint)[], name = 'dims'): Block {
    const words = BigInt64Array.from(values, BigInt);
    const bytes = new Uint8Array(words.buffer);
    return bytes.length > 0 && this.#canGuard() ? this.#filled(bytes, name, bytes.length) : this.copy(bytes, 8);
  }

  #canGuard = (): boolean => this.#guardsInputs && this.#lent.length < MOST_GUARDED;

  #filled(bytes: Uint8Array, name: string, reach: number): Block {
    const block = this.#beforeGuard(bytes.length, name, reach);
    block.bytes.set(bytes);
    return block;
  }

  /** @param reach bytes from the beginning of the block to the guard @param part of the block that the plugin knows of */
  #beforeGuard(size: number, name: string, reach: number, { from, to } = { from: 0, to: size }): Block {
    const pages = takeGuardedPages(reach);
    const block = slice(pages, pages.bytes.length - reach, size);
    lend(pages.record, block.address + BigInt(from), to - from, name);
    this.#lent.push({ pages, block });
    return this.#record(block);
  }

  /** Overwrites everything allocated, for checks that nothing reads it later. */
  scrub(byte: number): void {
    for (const { block, used } of this.#chunks) block.bytes.fill(byte, 0, used);
    for (const block of [...this.#large, ...this.#guarded]) block.bytes.fill(byte);
    for (const { block } of this.#lent) block.bytes.fill(byte);
  }

  /** Releases the memory for reuse; addresses allocated before are invalid afterwards. */
  release(): void {
    for (const { block } of this.#chunks) release(block);
    for (const block of this.#large) release(block);
    for (const block of this.#guarded) keep(freeGuarded, block);
    for (const { pages } of this.#lent) {
      takeBack(pages.record);
      keep(freeGuardedPages, pages);
    }
    this.#chunks = [];
    this.#large = [];
    this.#guarded = [];
    this.#lent = [];
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
const freeGuardedPages = new Map<number, GuardedPages[]>();

/** Pages between inaccessible zones, and their place in the table of what is lent. */
interface GuardedPages extends Block {
  record: number;
}

/**
 * Bytes on each side of what is lent that belong to nothing else, at least and at most: an access there is meant for what they
 * enclose. As many as that has, because copying twice as much begins at the far end.
 */
const [LEAST_ZONE, MOST_ZONE] = [1 << 20, 64 << 20];

function guardedPages(size: number): GuardedPages {
  const zone = Math.min(Math.max(size, LEAST_ZONE), MOST_ZONE);
  const { address, length, from, to } = mapBetween(size, zone);
  const buffer = koffi.view(address, length) as ArrayBuffer;
  return { address, bytes: new Uint8Array(buffer), view: new DataView(buffer), record: track(from, to) };
}

/** Guarded pages in a few sizes, so that they can be reused. */
function takeGuardedPages(size: number): GuardedPages {
  const pages = Math.ceil(size / PAGE);
  const length = PAGE * (pages <= 2 ? pages : 2 ** Math.ceil(Math.log2(pages)));
  return freeGuardedPages.get(length)?.pop() ?? guardedPages(length);
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
  foreignWrites.report();
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
