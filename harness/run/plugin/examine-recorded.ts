import type { CommandEnvironment } from '../../base/environment.ts';
import { deviationFor } from '../../host/plugins/deviations.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import type { PluginView } from '../../verdict/frameworks/plugin-view.ts';
import { isOfRelease, recordedFor, recordedResultsOf } from '../../verdict/frameworks/recorded-sessions.ts';
import type { Chosen } from '../../verdict/frameworks/types.ts';
import { loadAllSuites } from '../suites/load-suites.ts';
import { actAs, type ExamineOptions } from './examine.ts';

/** Milliseconds of a small compilation beyond which sessions, which compile a hundred programs, are left to the user to ask for. */
const SLOW_COMPILATION_MS = 2_000;

/**
 * Plays the recorded sessions that say most about a release.
 * @returns undefined if the user interrupted it
 */
export async function examineRecorded(
  options: ExamineOptions,
  around: CommandEnvironment,
  plugin: ResolvedPlugin,
  chosen: Chosen,
  { compileMs }: PluginView,
  progress: (text: string) => void,
): Promise<PluginView['recorded']> {
  const recorded = recordedFor(chosen);
  if (!recorded || compileMs === undefined) return [];
  if (compileMs > SLOW_COMPILATION_MS) return 'slow';
  const sessions = (await loadAllSuites())
    .flatMap(({ cases }) => cases)
    .filter((one) => isOfRelease(recorded, one) && !deviationFor(plugin.manifest, one.id));
  progress(`doing what ${recorded.framework.title} ${recorded.release.version} was recorded doing …`);
  const { cases } = await actAs(options, around, plugin, sessions, {});
  return around.signal.aborted ? undefined : recordedResultsOf(sessions, cases.values());
}
