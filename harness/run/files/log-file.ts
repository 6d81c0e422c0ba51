import { readdirSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemReason } from '../../base/system-reason.ts';
import { UsageError } from '../../base/usage-error.ts';
import { isShardDirectory } from '../fleet/shard.ts';

/**
 * The log for a command: a file, or `events.jsonl` in a directory.
 * @param what the option or command, for the message
 * @throws UsageError if there is none
 */
export function logFile(given: string, what: string, cwd: string): string {
  const path = resolve(cwd, given);
  const factsOf = (at: string): Stats | undefined => {
    try {
      return statSync(at, { throwIfNoEntry: false });
    } catch (error) {
      throw new UsageError(`${what} ${given}: cannot be read: ${systemReason(error)}`);
    }
  };
  const file = factsOf(path)?.isDirectory() ? join(path, 'events.jsonl') : path;
  const facts = factsOf(file);
  if (facts?.isFile()) return file;
  const absent = file === path ? 'there is no such file' : 'there is no events.jsonl in this directory';
  const where = facts ? 'it is not a regular file' : absent;
  throw new UsageError(`${what} ${given}: ${where}; expected the log of a run, or its directory`);
}

/** The logs of an array in the directory that its tasks share; empty for anything else. */
export function shardLogs(given: string, cwd: string): string[] {
  const directory = resolve(cwd, given);
  const isFile = (path: string): boolean => factsOf(path)?.isFile() === true;
  if (!factsOf(directory)?.isDirectory() || isFile(join(directory, 'events.jsonl'))) return [];
  const parts = readdirSync(directory).filter(isShardDirectory).sort(byNumber);
  return parts.map((part) => join(directory, part, 'events.jsonl')).filter(isFile);
}

/** What a path leads to; nothing if it cannot be examined, as with a link to itself: whoever reads it says why. */
function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

const byNumber = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
