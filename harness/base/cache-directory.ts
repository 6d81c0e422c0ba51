import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from './environment.ts';

/**
 * Directory for fetched plugins and cached hashes: `$PJRT_CONFORMANCE_CACHE`, else the XDG cache directory. A relative
 * `$XDG_CACHE_HOME` is ignored, as the XDG specification requires.
 */
export const cacheDirectoryOf = (env: Environment): string => {
  if (env.PJRT_CONFORMANCE_CACHE) return env.PJRT_CONFORMANCE_CACHE;
  const xdg = env.XDG_CACHE_HOME;
  const base = xdg && isAbsolute(xdg) ? xdg : join(env.HOME || homedir(), '.cache');
  return join(base, 'pjrt-conformance');
};
