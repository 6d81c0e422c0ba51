import { openSync, readSync } from 'node:fs';

/** Scheduling of the thread that calls the plugin: milliseconds since it began. */
export interface Scheduling {
  /** On a processor. */
  runningMs: number;
  /** Ready to run, while others ran. */
  waitingMs: number;
}

// Opened once: a plugin may make the file system inaccessible, and a case has no time to open files.
const fd = opened();
const bytes = Buffer.alloc(128);

/** Undefined if the system does not report it (only Linux does), or no longer does. */
export function scheduling(): Scheduling | undefined {
  if (fd === undefined) return undefined;
  try {
    const text = bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0));
    const [, running, waiting] = /^(\d+) (\d+) \d+\n$/.exec(text) ?? [];
    if (running === undefined) return undefined;
    return { runningMs: Number(running) / 1e6, waitingMs: Number(waiting) / 1e6 };
  } catch {
    // The plugin has closed it.
    return undefined;
  }
}

function opened(): number | undefined {
  try {
    return openSync('/proc/self/schedstat', 'r');
  } catch {
    return undefined;
  }
}
