import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeDirectory } from '../base/make-directory.ts';
import { isSystemError, systemReason } from '../base/system-reason.ts';

const BUFFER_UNITS = 1 << 16;

/** A file could not be written; the message names it. */
export class WriteFileError extends Error {
  override name = 'WriteFileError';
}

type Produce = (write: (chunk: string) => void) => void;

/**
 * Writes a file atomically and piece by piece: into a temporary file beside it, which is renamed at the end. If `produce`
 * throws, nothing is left behind.
 */
export function writeFileAtomically(path: string, produce: Produce): void {
  try {
    makeDirectory(dirname(path));
    const there = statSync(path, { throwIfNoEntry: false });
    // A path to a device or a pipe must still lead there afterwards: /dev/null is shared.
    if (there && !there.isFile()) write(path, produce);
    else replace(there ? realpathSync(path) : path, produce);
  } catch (cause) {
    if (isSystemError(cause)) {
      throw new WriteFileError(`${path}: it cannot be written: ${systemReason(cause)}`, { cause });
    }
    throw cause;
  }
}

function replace(path: string, produce: Produce): void {
  const temporary = `${path}.${process.pid}.tmp`;
  removeLeftovers(path);
  try {
    write(temporary, produce, fsyncSync);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function write(path: string, produce: Produce, done: (fd: number) => void = () => {}): void {
  const fd = openSync(path, 'w');
  try {
    let pending = '';
    const flush = (): void => {
      const bytes = Buffer.from(pending, 'utf8');
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      pending = '';
    };
    produce((chunk) => {
      pending += chunk;
      if (pending.length >= BUFFER_UNITS) flush();
    });
    flush();
    done(fd);
  } finally {
    closeSync(fd);
  }
}

/** Removes temporary files of killed writers. */
function removeLeftovers(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    const [, writer] = name.startsWith(`${basename(path)}.`) ? (/\.(\d+)\.tmp$/.exec(name) ?? []) : [];
    if (writer === undefined || isAlive(Number(writer))) continue;
    try {
      rmSync(join(dirname(path), name), { force: true });
    } catch {
      // Another user's, in a shared directory: it does no harm.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
