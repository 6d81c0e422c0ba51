import { cacheDirOf } from '../../harness/plugins/cache.ts';
import { resolvePlugin } from '../../harness/plugins/resolve.ts';

/** The library of the reference plugin, built if necessary. */
export async function fuzzedPlugin(): Promise<string> {
  const context = {
    cwd: process.cwd(),
    env: process.env,
    cacheDir: cacheDirOf(process.env),
    optionArgs: [],
    fetch: false,
  };
  return (await resolvePlugin('reference', context)).library;
}
