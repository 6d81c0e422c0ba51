import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join, parse } from 'node:path';
import { EventLogError } from './log.ts';
import { readLines } from './log-lines.ts';

/** A log of a run of an unfinished run, and that made way for a new one. */
export interface SetAside {
  /** Where it lies now. */
  path: string;
  /** Cases that have a result in it. */
  results: number;
}

const HEADER_START = '{"type":"header",';

/**
 * Makes way for a new log: one of a run that came to its end may be overwritten, as reports are. One that did not, and that
 * has results, is kept as `events.previous.jsonl`, in the place of what was kept so before.
 * @throws EventLogError when the file there is no log
 */
export function setAside(path: string): SetAside | undefined {
  if (!existsSync(path) || !statSync(path).isFile() || statSync(path).size === 0) return undefined;
  if (!HEADER_START.startsWith(part(path, 0, HEADER_START.length))) {
    throw new EventLogError(
      `${path}: this file is not an event log and is not overwritten: choose another file with --events, or remove it`,
    );
  }
  if (cameToItsEnd(path)) return undefined;
  let results = 0;
  for (const { bytes } of readLines(path)) if (bytes.toString('latin1', 0, 15) === '{"type":"case",') results++;
  if (results === 0) return undefined;
  const { dir, name, ext } = parse(path);
  const kept = join(dir, `${name}.previous${ext}`);
  renameSync(path, kept);
  return { path: kept, results };
}

const TAIL_BYTES = 1 << 16;

/** Looks at the last line only. */
function cameToItsEnd(path: string): boolean {
  const tail = part(path, Math.max(0, statSync(path).size - TAIL_BYTES), TAIL_BYTES);
  try {
    const last = JSON.parse(tail.trimEnd().split('\n').at(-1)!);
    return last.type === 'footer' && last.interrupted === false && last.counts.notrun === 0;
  } catch {
    return false;
  }
}

function part(path: string, from: number, length: number): string {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, length, from));
  } finally {
    closeSync(fd);
  }
}
