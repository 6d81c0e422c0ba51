import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** A process that has a file open. */
export interface Holder {
  pid: number;
  /** Its command line, cut. */
  command: string;
}

/** Who has a file open, as far as this user may see it; Linux only. */
export function holdersOf(path: string, proc = '/proc'): Holder[] {
  const found: Holder[] = [];
  for (const pid of list(proc).filter((name) => /^\d+$/.test(name))) {
    const directory = join(proc, pid, 'fd');
    if (list(directory).some((fd) => linkOf(join(directory, fd)) === path))
      found.push({ pid: Number(pid), command: commandOf(join(proc, pid)) });
  }
  return found;
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function commandOf(directory: string): string {
  try {
    return readFileSync(join(directory, 'cmdline'), 'utf8').replaceAll('\0', ' ').trim().slice(0, 120);
  } catch {
    return '';
  }
}
