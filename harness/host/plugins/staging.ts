import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../base/make-directory.ts';
import { systemReason } from '../../base/system-reason.ts';
import { PluginError } from './plugin-error.ts';

const STALE_STAGING_MS = 24 * 3600_000;

/** Age of directories left by killed runs; after a day nothing uses them. */
const removeStaleStaging = async (staging: string): Promise<void> => {
  for (const name of await readdir(staging)) {
    const directory = join(staging, name);
    const age = Date.now() - ((await stat(directory).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (age > STALE_STAGING_MS) await rm(directory, { recursive: true, force: true });
  }
};

/** A new working directory in the cache; results are renamed out of it, and the creator removes it. */
export const makeStaging = async (cacheDir: string): Promise<string> => {
  const parent = join(cacheDir, 'staging');
  try {
    makeDirectory(parent);
    await removeStaleStaging(parent);
    return await mkdtemp(join(parent, 'fetch-'));
  } catch (error) {
    const message = `cannot write to the cache directory ${cacheDir}: ${systemReason(error)}; set PJRT_CONFORMANCE_CACHE to a writable directory`;
    throw new PluginError('fetch-failed', message);
  }
};
