import { cacheDirOf } from '../../harness/plugins/cache.ts';
import { resolvePlugin } from '../../harness/plugins/resolve.ts';
import { makePrebuilt } from '../../tools/reference/prebuilt.ts';

/**
 * The library of the reference plugin, built first if these sources have not been built yet: the one that the package would
 * carry, where it carries one for this platform.
 */
export async function referenceLibrary(): Promise<string> {
  await makePrebuilt();
  const plugin = await resolvePlugin('reference', {
    cwd: process.cwd(),
    env: process.env,
    cacheDir: cacheDirOf(process.env),
    optionArgs: [],
    fetch: true,
  });
  return plugin.library;
}
