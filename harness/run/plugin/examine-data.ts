import type { CommandEnvironment } from '../../base/environment.ts';
import { deviationFor } from '../../host/plugins/deviations.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { type CaseRun, statusOf } from '../../model/run.ts';
import { isApart } from '../../suite/standard.ts';
import type { Case } from '../../suite/types.ts';
import { dataFailuresOf } from '../../verdict/frameworks/data-failures.ts';
import type { DataFailure } from '../../verdict/frameworks/plugin-view.ts';
import { partOf } from '../../verdict/frameworks/profile.ts';
import { isReliedOn } from '../../verdict/frameworks/relies.ts';
import type { Chosen } from '../../verdict/frameworks/types.ts';
import { loadAllSuites } from '../suites/load-suites.ts';
import { actAs, type ExamineOptions } from './examine.ts';

const NUMERICS = 'numerics/';
const TOGETHER = 'numerics/together';
const FIRST_PROGRAMS = 'numerics/first-programs';

/**
 * What a plugin gets wrong of the data on which any of these releases relies. Of what programs compute, users' first programs are
 * run, and the programs that consist of many cases; these cases themselves only where such a program does not pass.
 * @returns undefined if the user interrupted it
 */
export async function examineData(
  options: ExamineOptions,
  around: CommandEnvironment,
  plugin: ResolvedPlugin,
  chosen: readonly Chosen[],
  progress: (text: string) => void,
): Promise<DataFailure[] | undefined> {
  const cases = (await loadAllSuites()).flatMap((suite) => suite.cases).filter((one) => !isApart(one));
  const relied = cases.filter((one) =>
    chosen.some((release) => isReliedOn(release, one) && partOf(release, one) === 'gate'),
  );
  const results = async (selected: readonly Case[]): Promise<CaseRun[]> => [
    ...(await actAs(options, around, plugin, selected, {})).cases.values(),
  ];
  progress('comparing data …');
  const first = await results(relied.filter(isQuick));
  if (around.signal.aborted) return undefined;
  const unclear = new Set(first.filter((run) => statusOf(run) !== 'pass').map(({ plan }) => plan.id));
  const members = new Set(cases.filter(({ id }) => unclear.has(id)).flatMap((one) => one.members ?? []));
  const rest = members.size === 0 ? [] : await results(cases.filter(({ id }) => members.has(id)));
  if (around.signal.aborted) return undefined;
  const whole = first.filter(({ plan }) => !(unclear.has(plan.id) && plan.id.startsWith(TOGETHER)));
  return dataFailuresOf([...whole, ...rest].filter(({ plan }) => !deviationFor(plugin.manifest, plan.id)));
}

/** Whether a case takes little time on a plugin that compiles slowly, or compiles what every user does. */
const isQuick = ({ suite }: Case): boolean =>
  !suite.startsWith(NUMERICS) || suite === TOGETHER || suite === FIRST_PROGRAMS;
