import type { CaseResult } from '../model/case-result.ts';
import type { PlannedCase } from '../model/events.ts';
import { type Run, statusOf, zeroCounts } from '../model/run.ts';
import { type Counts, type Status, VIOLATING_STATUSES } from '../model/status.ts';
import { breachOf, isUnexpectedPass, type Weighing } from './breach.ts';

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

/** What decides how a case stands. */
interface Judged {
  plan: Pick<PlannedCase, 'level' | 'informative'>;
  result?: CaseResult | undefined;
}

/** How a case stands in a run with these options. */
export function standingOf({ plan, result }: Judged, weighing: Weighing): Standing {
  if (result === undefined || result.status === 'notrun') return 'not-run';
  if (result.status === 'error' || result.status === 'unsupported') return result.status;
  if (result.status === 'skip') return 'skipped';
  const { expectation, knownDeviation, status } = result;
  if (weighing.strictExpectations && isUnexpectedPass(result) && !plan.informative) return 'failed';
  const breach = breachOf(plan.level, result);
  if (breach === undefined) return 'passed';
  // An expectation for a case decides alone; known deviations only explain.
  if (expectation?.outcome === 'met') return expectation.waived ? 'waived' : 'expected';
  const explained = knownDeviation !== undefined && expectation?.outcome !== 'different';
  const counts = !plan.informative && (breach === 'must' || weighing.strict === true);
  const allowed = (explained && weighing.acceptKnown) || (status === 'flaky' && weighing.allowFlaky);
  if (counts && !allowed) return 'failed';
  if (explained) return 'known';
  if (plan.informative && breach === 'must') return 'outside';
  return status === 'flaky' ? 'flaky' : 'warned';
}

/** Whether a case fails its run. */
export const failsRun = (item: Judged, weighing: Weighing): boolean => standingOf(item, weighing) === 'failed';

/** Whether a case makes its run anything but good: it fails the run, or ended in an internal error. */
export const isRed = (item: Judged, weighing: Weighing): boolean => isRedStanding(standingOf(item, weighing));

/** The same of a standing. */
export const isRedStanding = (standing: Standing): boolean => standing === 'failed' || standing === 'error';

/** Whether what a case violates is explained, and does not fail the run. */
export const isExcused = (standing: Standing): boolean => ['expected', 'waived', 'known'].includes(standing);

/** Whether a case passed although it is expected to fail, and that does not fail the run. */
export const isStalePass = (item: Judged, weighing: Weighing): boolean =>
  isUnexpectedPass(item.result) && !failsRun(item, weighing);

/** Whether what a case violates is a known deviation of the plugin, whatever else the run says of it. */
export const isKnown = (item: Judged, weighing: Weighing): boolean => {
  const standing = standingOf(item, weighing);
  const { knownDeviation, expectation } = item.result ?? {};
  return (
    standing === 'known' ||
    (standing === 'failed' && knownDeviation !== undefined && expectation?.outcome !== 'different')
  );
};

/** How many cases of each status fail the run; those that ended in an internal error are among them. */
export function redCounts(run: Run, weighing: Weighing = run.header?.options ?? {}): Counts {
  const counts = zeroCounts();
  for (const item of run.cases.values()) if (isRed(item, weighing)) counts[statusOf(item)]++;
  return counts;
}

/** Whether of the cases of this status, which violate something, fewer fail the run than there are. Warnings do only in a strict run. */
export const isPartlyRed = (status: Status, counts: Counts, red: Counts): boolean =>
  status !== 'warn' && VIOLATING_STATUSES.includes(status) && red[status] < counts[status];
