import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from './make-directory.ts';

/** Writes a file of a cache, all at once. A cache that cannot be written only costs time, so errors are ignored. */
export function writeCached(path: string, data: string | Uint8Array): void {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    makeDirectory(dirname(path));
    writeFileSync(temporary, data);
    renameSync(temporary, path);
  } catch {
    if (existsSync(temporary)) rmSync(temporary);
  }
}
