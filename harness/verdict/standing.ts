import type { CaseRun } from '../model/run.ts';
import { breachOf, failsRun, isUnexpectedPass, type Weighing } from './breach.ts';

/**
 * How a case stands in its run: the one word from which exit code, terminal, and every report format derive theirs.
 *
 * - `passed`, `unsupported`, `skipped`, `not-run`: nothing is violated;
 * - `failed`: it fails the run; `error`: it ended in an internal error, which says nothing about the plugin;
 * - `warned`: a SHOULD is violated, in whatever way, and that does not fail the run; `flaky`: it failed in one attempt, which is allowed;
 * - `expected`, `waived`, `known`: what is violated is expected, waived, or a known deviation, and does not fail the run;
 * - `outside`: a MUST is violated, but the case is not among those that count.
 *
 * A case that passes although it is expected to fail stands as if nothing were expected of it, unless that fails the run.
 */
export type Standing =
  | 'passed'
  | 'warned'
  | 'failed'
  | 'error'
  | 'flaky'
  | 'expected'
  | 'waived'
  | 'known'
  | 'outside'
  | 'unsupported'
  | 'skipped'
  | 'not-run';

/** How a case stands in a run with these options. */
export function standingOf({ plan, result }: Pick<CaseRun, 'plan' | 'result'>, weighing: Weighing): Standing {
  if (result === undefined || result.status === 'notrun') return 'not-run';
  if (result.status === 'error' || result.status === 'unsupported') return result.status;
  if (result.status === 'skip') return 'skipped';
  if (failsRun(plan, result, weighing)) return 'failed';
  const breach = breachOf(plan.level, result);
  if (breach === undefined) return 'passed';
  const { expectation, knownDeviation, status } = result;
  if (expectation?.outcome === 'met') return expectation.waived ? 'waived' : 'expected';
  if (knownDeviation && expectation?.outcome !== 'different') return 'known';
  if (plan.informative && breach === 'must') return 'outside';
  return status === 'flaky' ? 'flaky' : 'warned';
}

/** Whether a case makes its run anything but good. */
export const isRedStanding = (standing: Standing): boolean => standing === 'failed' || standing === 'error';

/** Whether what a case violates is explained, and does not fail the run. */
export const isExcused = (standing: Standing): boolean => ['expected', 'waived', 'known'].includes(standing);

/** Whether a case passed although it is expected to fail, and that does not fail the run. */
export const isStalePass = (item: Pick<CaseRun, 'plan' | 'result'>, weighing: Weighing): boolean =>
  isUnexpectedPass(item.result) && standingOf(item, weighing) !== 'failed';
