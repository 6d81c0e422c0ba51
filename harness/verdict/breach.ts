import type { CaseResult, PlannedCase } from '../report/events.ts';

type Level = PlannedCase['level'];
type Weight = Pick<PlannedCase, 'level' | 'informative'>;

/** What a result breaks: a MUST, a SHOULD, or nothing. */
type Breach = 'must' | 'should' | undefined;

/** Weight of a verdict: a failed run needs a broken MUST, or a broken SHOULD when `strict`. */
export interface Weighing {
  /** A broken SHOULD fails the run too. */
  strict?: boolean;
  /** Failures that the plugin's manifest explains as known deviations do not fail the run. */
  acceptKnown?: boolean;
}

/**
 * What a result breaks. A process that dies or hangs breaks a MUST, except in a case that is a SHOULD altogether and
 * whose findings say no more: an optional part may be absent, but when it is there it may not take the process down.
 */
export function breachOf(level: Level, result: CaseResult | undefined): Breach {
  switch (result?.status) {
    case 'fail':
      return 'must';
    case 'warn':
      return 'should';
    case 'crash':
    case 'timeout':
      return level === 'should' && !result.findings.some((finding) => finding.level === 'must') ? 'should' : 'must';
    default:
      return undefined;
  }
}

/** Whether a result fails the run: exit code, JUnit and console all ask here, so they cannot disagree. */
export function failsRun(plan: Weight, result: CaseResult | undefined, weighing: Weighing): boolean {
  if (plan.informative) return false;
  const breach = breachOf(plan.level, result);
  if (breach === undefined || (breach === 'should' && !weighing.strict)) return false;
  return !(weighing.acceptKnown && result?.knownDeviation);
}

/** Whether a broken requirement is let pass only because it is a known deviation. */
export function isAcceptedDeviation(plan: Weight, result: CaseResult | undefined, weighing: Weighing): boolean {
  return failsRun(plan, result, { ...weighing, acceptKnown: false }) && !failsRun(plan, result, weighing);
}
