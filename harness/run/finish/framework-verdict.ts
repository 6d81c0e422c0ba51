import type { CommandEnvironment } from '../../base/environment.ts';
import type { FrameworkVerdict } from '../../model/framework-verdict.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import type { Run } from '../../model/run.ts';
import { dataFailuresOf } from '../../verdict/frameworks/data-failures.ts';
import type { Row } from '../../verdict/frameworks/format.ts';
import { predict } from '../../verdict/frameworks/predict/predict.ts';
import { gateFact } from '../../verdict/frameworks/profile.ts';
import { recordedResultsOf } from '../../verdict/frameworks/recorded-sessions.ts';
import type { Chosen } from '../../verdict/frameworks/types.ts';
import { windowOf } from '../../verdict/frameworks/window.ts';
import { type ExamineOptions, examine } from '../plugin/examine.ts';
import { loadAllSuites } from '../suites/load-suites.ts';

/**
 * The verdict of a framework release on a plugin, from the implementation of `compat`, so that both agree; what `compat` finds
 * out about data, the cases of the run have shown. Undefined if the user interrupted it, or if the plugin could not be loaded,
 * which the run reports itself.
 */
export async function frameworkVerdict(
  options: ExamineOptions,
  environment: CommandEnvironment,
  plugin: ResolvedPlugin,
  chosen: Chosen,
  { cases }: Pick<Run, 'cases'>,
): Promise<FrameworkVerdict | undefined> {
  const { framework, release } = chosen;
  const seen = await examine(options, environment, plugin, [release], () => {});
  if (!('view' in seen)) return undefined;
  const inGate = [...cases.values()].filter(({ plan }) => !plan.informative);
  const all = (await loadAllSuites()).flatMap((suite) => suite.cases);
  const view = { ...seen.view, dataFailures: dataFailuresOf(inGate), recorded: recordedResultsOf(all, inGate) };
  const prediction = predict(framework, release, view);
  prediction.facts.push(gateFact(chosen, all));
  return asVerdict({ ...chosen, prediction, window: windowOf(chosen, view.minor, prediction) });
}

/** A verdict in the form of logs and reports. */
export function asVerdict({ framework, release, prediction, window }: Omit<Row, 'platform'>): FrameworkVerdict {
  const { standing, text, since, oldestMinor } = window;
  return {
    framework: framework.name,
    version: release.version,
    title: framework.title,
    date: release.date,
    apiMinor: release.minor,
    ...prediction,
    window: { standing, text, since, oldestMinor },
  };
}
