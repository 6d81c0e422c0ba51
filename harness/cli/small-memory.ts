import { setFlagsFromString } from 'node:v8';

/** Commands that work through big files instead of waiting for plugins. */
const BUSY = ['report', 'compare', 'bundle', 'verify'];

// Imported first: flags must be set before there is much memory.
if (BUSY.includes(process.argv[2] ?? '')) {
  // A log of 100,000 cases is 100 MB of objects; by itself the heap would grow to five times that before it is cleaned.
  setFlagsFromString('--heap-growing-percent=20');
} else {
  // The command waits for plugins most of its time, and may run beside their compilers: it keeps the young generation at its
  // initial size and does without the optimizing compiler, whose threads hold more memory than all cases.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-opt');
}
