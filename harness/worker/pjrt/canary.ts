import type { Block } from '../ffi/memory.ts';

const CANARY = 0xa7;

/** Fills everything after the first `size` bytes of a block with a pattern. */
export function fillCanary(block: Block, size: number): void {
  block.bytes.fill(CANARY, size);
}

/** Whether that pattern is intact. */
export function compareCanary(block: Block, size: number): boolean {
  for (let i = size; i < block.bytes.length; i++) if (block.bytes[i] !== CANARY) return false;
  return true;
}
