import { readFileSync } from 'node:fs';

/** The kernel counts in these, on every Linux that Node runs on. */
const TICK_MS = 10;

/** Time that a living process has spent on a processor so far, in milliseconds; 0 where the system does not tell. */
export function processorMs(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0;
  }
}

/** Most memory that a living process has held so far; 0 where the system does not tell, or when it is gone. */
export function peakBytes(pid: number): number {
  try {
    return Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
