import { createHash, randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../../base/make-directory.ts';

/** The version of a file that a hash was computed for. */
export interface FileIdentity {
  path: string;
  size: string;
  mtimeNs: string;
  inode: string;
}

const entryOf = (cacheDir: string, path: string): string =>
  join(cacheDir, 'hashes', `${createHash('sha256').update(path).digest('hex')}.json`);

/** The cached SHA-256 of exactly this version of the file. */
export const recallHash = async (cacheDir: string, identity: FileIdentity): Promise<string | undefined> => {
  try {
    const entry: unknown = JSON.parse(await readFile(entryOf(cacheDir, identity.path), 'utf8'));
    const { sha256, ...of } = entry as FileIdentity & { sha256: string };
    const same = (Object.keys(identity) as (keyof FileIdentity)[]).every((key) => of[key] === identity[key]);
    return same && /^[0-9a-f]{64}$/.test(sha256) ? sha256 : undefined;
  } catch {
    // Missing or damaged: the hash is computed again.
    return undefined;
  }
};

/** Caches a hash. A read-only cache only costs time, so errors are ignored. */
export const rememberHash = async (cacheDir: string, identity: FileIdentity, sha256: string): Promise<void> => {
  const entry = entryOf(cacheDir, identity.path);
  const temporary = `${entry}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    makeDirectory(dirname(entry));
    await writeFile(temporary, `${JSON.stringify({ ...identity, sha256 })}\n`);
    await rename(temporary, entry);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
};
