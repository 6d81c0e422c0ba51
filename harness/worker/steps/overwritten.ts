import type { Arena, Block } from '../ffi/memory.ts';
import { type Calls, here } from '../pjrt/calls.ts';

/** What memory holds once its time is over: no pointer, no length and no text that anything could use. */
const OVERWRITTEN = 0xee;

/**
 * Makes a call, and overwrites the memory that was made for it as soon as it returns, where a step says `overwritten`: it
 * only has to live during the call, which is then made on this thread.
 */
export function* overwriting<T>(arena: Arena, overwritten: boolean | undefined, calls: Calls<T>): Calls<T> {
  if (!overwritten) return yield* calls;
  const { value, blocks } = arena.recording(() => here(calls));
  overwrite(blocks);
  return value;
}

export function overwrite(blocks: readonly Block[]): void {
  for (const block of blocks) block.bytes.fill(OVERWRITTEN);
}
