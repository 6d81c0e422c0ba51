import { setFlagsFromString } from 'node:v8';

/** Commands that work through big files instead of waiting for plugins. */
const BUSY = ['report'];

/**
 * Imported first: the command waits for plugins most of its time, and may run beside their compilers. It keeps the young
 * generation at its initial size and does without the optimizing compiler, whose threads hold more memory than all cases.
 */
if (!BUSY.includes(process.argv[2] ?? '')) {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-opt');
}
