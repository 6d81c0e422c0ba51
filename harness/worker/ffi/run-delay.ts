import { readdirSync, readFileSync } from 'node:fs';

const TASKS = '/proc/self/task';
const PER_MS = 1_000_000;

/**
 * Starts to watch how long threads of this process are ready to run but have no processor: on a busy machine, time that must
 * not be blamed on a plugin.
 * @returns gives the milliseconds since then, those of the thread that waited longest; 0 where the system does not say
 */
export function watchRunDelay(): () => number {
  const before = delays();
  return () => Math.max(0, ...[...delays()].map(([task, now]) => now - (before.get(task) ?? 0))) / PER_MS;
}

/** Nanoseconds of each thread so far. */
function delays(): Map<string, number> {
  const found = new Map<string, number>();
  for (const task of tasks()) {
    try {
      found.set(task, Number(readFileSync(`${TASKS}/${task}/schedstat`, 'utf8').split(' ')[1] ?? 0));
    } catch {
      // The thread has ended, or the kernel keeps no such statistics.
    }
  }
  return found;
}

function tasks(): string[] {
  try {
    return readdirSync(TASKS);
  } catch {
    return [];
  }
}
