/** Files that are locked with flock(2): the kernel releases a lock when the last process that holds it is gone. */
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { errnoOf } from '../plugins/plugin-error.ts';

/** Who holds a lock, in its file: for people, and not to be trusted. */
export interface Holder {
  pid: number;
  command: string;
  /** ISO 8601. */
  since: string;
  /** The event log that it writes. */
  log?: string;
}

/** Longest record that is read. */
const MAX_BYTES = 8192;

/** Where locks are: one directory for all users of a machine, whatever their TMPDIR is. */
export const lockDirectory = (env: Environment): string => env.PJRT_CONFORMANCE_LOCKS || '/tmp/pjrt-conformance-locks';

/**
 * Opens the file of a lock; creates it, and the directory, for all users.
 * @returns its descriptor
 * @throws Error of the system
 */
export function openLockFile(directory: string, name: string): number {
  makeDirectory(directory);
  const path = join(directory, name);
  for (;;) {
    try {
      // Without O_CREAT: the kernel may refuse it for a file of another user in a directory for all (fs.protected_regular).
      return checked(openSync(path, constants.O_RDWR | constants.O_NOFOLLOW), path);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
    try {
      const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o666);
      // Whatever the umask is.
      chmodSync(path, 0o666);
      return fd;
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }
}

function makeDirectory(directory: string): void {
  try {
    // Not with its parents: Node never returns where they cannot be made, as in /proc.
    mkdirSync(directory);
    if (lstatSync(directory).uid === process.getuid?.()) chmodSync(directory, 0o1777);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Records are written to lock files, so nobody may have made another name for a file of the user. */
function checked(fd: number, path: string): number {
  const facts = fstatSync(fd);
  if (facts.isFile() && facts.nlink === 1) return fd;
  closeSync(fd);
  throw new Error(`${path} is not a lock file`);
}

/** Whether a locked file still has its name: it may have been deleted before it was locked. */
export function isInPlace(fd: number, directory: string, name: string): boolean {
  const there = statSync(join(directory, name), { throwIfNoEntry: false });
  const { dev, ino } = fstatSync(fd);
  return there?.ino === ino && there.dev === dev;
}

/** Writes who holds the lock. Never throws: the lock itself is the kernel's. */
export function writeHolder(fd: number, holder: Holder | undefined): void {
  try {
    ftruncateSync(fd, 0);
    if (holder) writeSync(fd, `${JSON.stringify(holder)}\n`, 0);
  } catch {
    // Those who wait will not see a name.
  }
}

/** Who the file says holds the lock; undefined if it says nothing, or nothing that can be read. */
export function readHolder(directory: string, name: string): Holder | undefined {
  try {
    const text = readFileSync(join(directory, name), 'utf8').slice(0, MAX_BYTES);
    const { pid, command, since, log } = JSON.parse(text) as Record<string, unknown>;
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined;
    if (typeof command !== 'string' || typeof since !== 'string') return undefined;
    return { pid, command, since, ...(typeof log === 'string' ? { log } : {}) };
  } catch {
    return undefined;
  }
}

/** Names of the lock files of single devices. */
export function deviceFiles(directory: string, family: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.startsWith(`${family}@`));
  } catch {
    return [];
  }
}
