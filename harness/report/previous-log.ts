import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join, parse } from 'node:path';
import { EventLogError } from './log.ts';
import { readLines } from './log-lines.ts';

/** The log of an unfinished run, moved aside for a new one. */
interface SetAside {
  /** Its new path. */
  path: string;
  /** Number of its cases with a result. */
  results: number;
}

const HEADER_START = '{"type":"header",';

/**
 * Prepares the path for a new log. The log of a finished run may be overwritten, like reports. One of an unfinished run with
 * results is kept as `events.previous.jsonl`, replacing an earlier one.
 * @throws EventLogError if the file there is not a log
 */
export function setAside(path: string): SetAside | undefined {
  if (!existsSync(path) || !statSync(path).isFile() || statSync(path).size === 0) return undefined;
  if (!HEADER_START.startsWith(part(path, 0, HEADER_START.length))) {
    throw new EventLogError(
      `${path}: this file is not an event log and is not overwritten: choose another file with --events, or remove it`,
    );
  }
  if (isFinished(path)) return undefined;
  let results = 0;
  for (const { bytes } of readLines(path)) if (bytes.toString('latin1', 0, 15) === '{"type":"case",') results++;
  if (results === 0) return undefined;
  const { dir, name, ext } = parse(path);
  const kept = join(dir, `${name}.previous${ext}`);
  renameSync(path, kept);
  return { path: kept, results };
}

const TAIL_BYTES = 1 << 16;

/** Reads only the last line. */
function isFinished(path: string): boolean {
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
