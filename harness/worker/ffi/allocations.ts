import type { Block } from './block.ts';

/** Who wants to know of memory that the harness takes for what it gives to plugins. */
export const allocations: {
  observer: ((block: Block) => void) | undefined;
  /** Called when memory of the plugin is written. */
  foreign: (() => void) | undefined;
} = { observer: undefined, foreign: undefined };
