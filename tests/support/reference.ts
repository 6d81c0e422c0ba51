import { cacheDirOf } from '../../harness/plugins/cache.ts';
import { resolvePlugin } from '../../harness/plugins/resolve.ts';

/** The library of the reference plugin, built first if these sources have not been built yet. */
export async function referenceLibrary(): Promise<string> {
  const plugin = await resolvePlugin('reference', {
    cwd: process.cwd(),
    env: process.env,
    cacheDir: cacheDirOf(process.env),
    optionArgs: [],
    fetch: true,
  });
  return plugin.library;
}
