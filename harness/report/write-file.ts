import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const BUFFER_UNITS = 1 << 16;

/** A report could not be written; the message names the file. */
export class WriteFileError extends Error {
  override name = 'WriteFileError';
}

/**
 * Writes a file piece by piece so that readers see the old one or the whole new one, never a part: into a temporary
 * file beside it, renamed at the end. When `produce` throws, nothing is left behind.
 */
export function writeFileAtomically(path: string, produce: (write: (chunk: string) => void) => void): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    removeLeftovers(path);
    const fd = openSync(temporary, 'w');
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
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    if (cause instanceof Error && 'code' in cause && 'syscall' in cause) {
      throw new WriteFileError(`${path}: the report cannot be written: ${cause.message}`, { cause });
    }
    throw cause;
  }
}

/** Takes away what writers left that were killed. */
function removeLeftovers(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    const [, writer] = name.startsWith(`${basename(path)}.`) ? (/\.(\d+)\.tmp$/.exec(name) ?? []) : [];
    if (writer !== undefined && !isAlive(Number(writer))) rmSync(join(dirname(path), name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
