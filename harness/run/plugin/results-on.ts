/** Cases run on a plugin for their results alone: no log, no reports, no verdict. */
import type { CommandEnvironment } from '../../base/environment.ts';
import type { CaseResult } from '../../model/case-result.ts';
import type { AccuracyProfile } from '../../model/numeric-record.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import type { Case } from '../../suite/types.ts';
import { deadlines, wirePlugin } from './plugin-setup.ts';
import { runAlone } from './run-alone.ts';
import { askedBy, type TimeoutOptions } from './timeouts.ts';

/** How they are run. */
export interface Apart {
  workers: number;
  binding: 'now' | 'lazy';
  timeouts: TimeoutOptions;
  environment: Pick<CommandEnvironment, 'cwd' | 'env' | 'signal'>;
  /** How far rounded results may be off; default: standard. */
  numerics?: AccuracyProfile;
  /** As in the plan of a run. */
  recording?: string;
}

/**
 * Runs cases in processes of their own. Never throws because of the plugin.
 * @param onResult called for each case that ends
 * @returns why the other cases did not run
 */
export async function resultsOn(
  plugin: ResolvedPlugin,
  cases: readonly Case[],
  { workers, binding, timeouts, environment, numerics = 'standard', recording }: Apart,
  onResult: (id: string, result: CaseResult) => void,
): Promise<string> {
  let failure: string | undefined;
  const how = {
    plugins: [{ ...wirePlugin(plugin), numerics: { profile: numerics, chosen: false } as const }],
    binding,
    workers: plugin.manifest?.serial ? 1 : workers,
    deadlines: deadlines(askedBy(timeouts), [plugin]),
    recording,
  };
  await runAlone(plugin, cases, environment, how, (event) => {
    if (event.type === 'plugin') failure ??= event.plugin.failure?.message;
    if (event.type === 'case') onResult(event.id, event.result);
  });
  return failure ?? 'it did not come to this program';
}
