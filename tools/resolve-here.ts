import { cacheDirectoryOf } from '../harness/base/cache-directory.ts';
import { type ResolveContext, resolvePlugin } from '../harness/host/plugins/resolve.ts';
import type { ResolvedPlugin } from '../harness/model/plugin.ts';

/** The plugin that `--plugin` would mean in this directory and environment; `context` has the differences. */
export const resolveHere = (spec: string, context: Partial<ResolveContext> = {}): Promise<ResolvedPlugin> =>
  resolvePlugin(spec, {
    cwd: process.cwd(),
    env: process.env,
    cacheDir: cacheDirectoryOf(process.env),
    optionArgs: [],
    fetch: true,
    ...context,
  });
