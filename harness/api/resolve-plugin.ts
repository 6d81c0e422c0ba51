import { cacheDirectoryOf } from '../base/cache-directory.ts';
import { resolvePlugin as resolve } from '../host/plugins/resolve.ts';
import type { ResolvedPlugin } from '../model/plugin.ts';
import { environmentOf, optionArguments, type PluginRequest } from './context.ts';

/** How a plugin is resolved; nothing is loaded. */
export type ResolveRequest = Pick<PluginRequest, 'options' | 'fetch' | 'allowBuild' | 'cwd' | 'env' | 'signal'>;

/**
 * The library, create options and manifest that a path, a name or a manifest stands for; as commands resolve `--plugin`. Fetches
 * or builds a known plugin; with `allowBuild` any.
 * @throws PluginError
 */
export function resolvePlugin(spec: string, request: ResolveRequest = {}): Promise<ResolvedPlugin> {
  const { cwd, env, signal } = environmentOf(request);
  const { options, fetch = true, allowBuild } = request;
  return resolve(spec, {
    cwd,
    env,
    signal,
    fetch,
    build: allowBuild ? 'any' : 'known',
    cacheDir: cacheDirectoryOf(env),
    optionArgs: optionArguments(options),
  });
}
