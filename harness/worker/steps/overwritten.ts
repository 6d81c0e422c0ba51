import type { Arena, Block } from '../ffi/memory.ts';

/** What memory holds once its time is over: no pointer, no length and no text that anything could use. */
const OVERWRITTEN = 0xee;

/**
 * Makes a call, and overwrites the memory that was made for it as soon as it returns, where a step says `overwritten`: it
 * only has to live during the call.
 */
export function overwriting<T>(arena: Arena, overwritten: boolean | undefined, call: () => T): T {
  if (!overwritten) return call();
  const { value, blocks } = arena.recording(call);
  overwrite(blocks);
  return value;
}

export function overwrite(blocks: readonly Block[]): void {
  for (const block of blocks) block.bytes.fill(OVERWRITTEN);
}
