import { readdirSync, readFileSync } from 'node:fs';

const TASKS = '/proc/self/task';
const PER_MS = 1_000_000;

/**
 * Milliseconds for which threads of this process have been ready to run but had no processor, all threads together: on a
 * busy machine, time that must not be blamed on a plugin. 0 where the system does not say.
 */
export function runDelayMs(): number {
  let nanoseconds = 0;
  for (const task of tasks()) {
    try {
      nanoseconds += Number(readFileSync(`${TASKS}/${task}/schedstat`, 'utf8').split(' ')[1] ?? 0);
    } catch {
      // The thread has ended, or the kernel keeps no such statistics.
    }
  }
  return nanoseconds / PER_MS;
}

function tasks(): string[] {
  try {
    return readdirSync(TASKS);
  } catch {
    return [];
  }
}
