import { cacheDirOf } from '../harness/plugins/cache.ts';
import { type ResolveContext, resolvePlugin } from '../harness/plugins/resolve.ts';
import type { ResolvedPlugin } from '../harness/plugins/types.ts';

/** The plugin that `--plugin` would mean in this directory and environment; `context` has the differences. */
export const resolveHere = (spec: string, context: Partial<ResolveContext> = {}): Promise<ResolvedPlugin> =>
  resolvePlugin(spec, {
    cwd: process.cwd(),
    env: process.env,
    cacheDir: cacheDirOf(process.env),
    optionArgs: [],
    fetch: true,
    ...context,
  });
