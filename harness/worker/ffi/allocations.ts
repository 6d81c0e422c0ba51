import type { Block } from './memory.ts';

/** Who wants to know of memory that the harness takes for what it gives to plugins. */
export const allocations: { observer: ((block: Block) => void) | undefined } = { observer: undefined };
