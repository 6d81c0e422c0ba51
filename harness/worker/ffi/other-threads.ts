import { readdirSync, readFileSync } from 'node:fs';

const TASKS = '/proc/self/task';
/** States of proc_pid_stat(5) in which a thread runs, wants to, or waits for a page. */
const BUSY = /^[RD]/;

/** Whether another thread of this process has something to do at the moment; undefined where the system does not say. */
export function othersBusy(): boolean | undefined {
  let tasks: string[];
  try {
    tasks = readdirSync(TASKS);
  } catch {
    return undefined;
  }
  // The first thread is the one that asks.
  return tasks.some((task) => task !== String(process.pid) && BUSY.test(stateOf(task)));
}

function stateOf(task: string): string {
  try {
    const stat = readFileSync(`${TASKS}/${task}/stat`, 'utf8');
    // The name, in parentheses, may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2);
  } catch {
    // It has ended.
    return '';
  }
}
