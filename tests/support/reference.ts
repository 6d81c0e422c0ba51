import { makePrebuilt } from '../../tools/reference/prebuilt.ts';
import { resolveHere } from '../../tools/resolve-here.ts';

/**
 * The library of the reference plugin, built first if these sources have not been built yet, in the form that the package has
 * for this platform.
 */
export async function referenceLibrary(): Promise<string> {
  await makePrebuilt();
  const plugin = await resolveHere('reference');
  return plugin.library;
}
