import type { CommandEnvironment } from '../../base/environment.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { resolveAll } from './plugin-setup.ts';

/** Options that name a plugin and another one whose results are expected. */
export interface PluginAndOracle {
  plugin: string;
  oracle: string;
  /** Create options of the plugin. */
  option?: string[];
  fetch: boolean;
  allowBuild?: boolean;
}

/** Finds both plugins, and says what is wrong with either. @throws UsageError, PluginError */
export async function resolveBoth(
  { plugin, oracle, option, fetch, allowBuild }: PluginAndOracle,
  environment: CommandEnvironment,
): Promise<[plugin: ResolvedPlugin, oracle: ResolvedPlugin]> {
  const [subject, judge] = await Promise.allSettled([
    resolveAll({ plugin: [plugin], option, fetch, allowBuild }, environment),
    resolveAll({ plugin: [oracle], fetch, allowBuild }, environment),
  ]);
  if (subject.status === 'fulfilled' && judge.status === 'fulfilled') return [subject.value[0]!, judge.value[0]!];
  const [error, other] = [subject, judge].flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (error instanceof Error && other instanceof Error) error.message += `\n${other.message}`;
  throw error;
}
