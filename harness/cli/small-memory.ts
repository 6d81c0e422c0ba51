import { setFlagsFromString } from 'node:v8';

/** Commands that process large files instead of waiting for plugins. */
const BUSY = ['report', 'compare', 'bundle', 'verify'];

// Imported first: the flags only take effect before the heap grows.
if (BUSY.includes(process.argv[2] ?? '')) {
  // A log of 100,000 cases is 100 MB of objects; by default the heap would grow to five times that before a collection, and
  // the young generation to 48 MB: with these flags their reports take 250 MB, without them 470 MB (`npm run bench -- --reports`).
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--max-semi-space-size=8');
} else {
  // The command mostly waits for plugins, and may run beside their compilers: the young generation keeps its
  // initial size, and the optimizing compiler is off because its threads use more memory than all cases: 100 MB instead of
  // 144 MB in a full run.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-opt');
}
