import { setFlagsFromString } from 'node:v8';

/** Commands that process large files instead of waiting for plugins. */
const BUSY = ['report', 'compare', 'trend', 'bundle', 'verify', 'trace', 'record'];

// Imported first: the flags only take effect before the heap grows. By default the heap may double, or grow to five times its
// size, before a collection: a full run then takes 130 MB while it writes its reports, and with these flags 100 MB.
setFlagsFromString('--heap-growing-percent=10');
if (BUSY.includes(process.argv[2] ?? '')) {
  // A log of 100,000 cases is 100 MB of objects, whose young generation would grow to 48 MB: their reports take 250 MB, and
  // 470 MB without flags (`npm run bench -- --reports`).
  setFlagsFromString('--max-semi-space-size=8');
} else {
  // The command mostly waits for plugins, and may run beside their compilers: the young generation keeps its initial size,
  // and the optimizing compiler is off because its threads use more memory than all cases.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-opt');
}
