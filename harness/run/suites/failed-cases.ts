import { counted } from '../../base/counted.ts';
import { UsageError } from '../../base/usage-error.ts';
import { runsIn } from '../../report/compare/read-runs.ts';
import { isRedStanding, standingOf } from '../../verdict/standing.ts';

/**
 * Ids of the cases that failed earlier runs, each judged with the options of its own run: what a run excuses (known deviations,
 * expected failures) is not among them.
 * @param runs directories, logs or JSON reports; parts of a sharded run count as one
 * @throws UsageError if nothing failed, EventLogError
 */
export function failedCases(runs: readonly string[], cwd: string): Set<string> {
  const read = runsIn(runs, cwd);
  const cases = read.flatMap(({ run }) => [...run.cases.values()].map((item) => ({ item, run })));
  const failed = cases.filter(({ item, run }) => isRedStanding(standingOf(item, run.header?.options ?? {})));
  if (failed.length > 0) return new Set(failed.map(({ item }) => item.plan.id));
  const unrun = cases.filter(({ item, run }) => standingOf(item, run.header?.options ?? {}) === 'not-run').length;
  const left = unrun === 0 ? '' : `, and ${counted(unrun, 'case')} did not run: run --resume ${runs[0]} runs them`;
  throw new UsageError(`nothing failed in ${runs.join(' and ')} (${counted(cases.length, 'case')})${left}`, {
    options: ['failed-of', 'last-failed'],
  });
}
