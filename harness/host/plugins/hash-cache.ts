import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileIdentity } from '../../base/file-identity.ts';
import { writeCached } from '../../base/write-cached.ts';

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

/** Caches a hash. */
export const rememberHash = (cacheDir: string, identity: FileIdentity, sha256: string): void =>
  writeCached(entryOf(cacheDir, identity.path), `${JSON.stringify({ ...identity, sha256 })}\n`);
