import { readFileSync } from 'node:fs';

/** Unit of the kernel's process times on every Linux that Node runs on. */
const TICK_MS = 10;

/** CPU time of a living process in milliseconds; 0 if the system does not report it. */
export function processorMs(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0;
  }
}

/** Peak memory of a living process; 0 if the system does not report it, or the process is gone. */
export function peakBytes(pid: number): number {
  try {
    return Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
