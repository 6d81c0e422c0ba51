import { readdirSync, readFileSync } from 'node:fs';
import { MARK } from './fork-worker.ts';

/** A process that a worker or one of its children started. */
export interface Escaped {
  pid: number;
  /** Its process group. */
  group: number;
  command: string;
}

/** As much of a command line as shows what it is. */
const COMMAND = 120;

const MARKED = new RegExp(`\\0${MARK}=([0-9a-f]+)\\0`);

/**
 * The living processes of workers that have ended (Linux): they have inherited the environment.
 * @param marks of these workers
 * @param worker process id of the only one: later processes have higher ones, until the numbers begin again
 */
export function escaped(marks: ReadonlySet<string>, worker = 0): Escaped[] {
  const newest = Number(contents('loadavg').trim().split(' ').at(-1));
  const first = newest < worker ? 0 : worker;
  return processes().flatMap((pid) => {
    const [, mark] = pid > first ? (MARKED.exec(`\0${contents(`${pid}/environ`)}`) ?? []) : [];
    if (mark === undefined || !marks.has(mark)) return [];
    const stat = contents(`${pid}/stat`);
    // The name before it may hold anything.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (stat === '' || state === 'Z') return [];
    const command = contents(`${pid}/cmdline`)
      .replace(/[\0\s]+/g, ' ')
      .trim();
    return [{ pid, group: Number(group), command: command.slice(0, COMMAND) }];
  });
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Empty if the process has ended, or is another user's. */
function contents(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return '';
  }
}
