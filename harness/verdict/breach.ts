import type { CaseResult } from '../model/case-result.ts';
import type { PlannedCase } from '../model/events.ts';

type Level = PlannedCase['level'];
type Weight = Pick<PlannedCase, 'level' | 'informative'>;

/** What a result breaks: a MUST, a SHOULD, or nothing. */
type Breach = 'must' | 'should' | undefined;

/** Weight of a verdict: a failed run needs a broken MUST, or a broken SHOULD when `strict`, that nothing excuses. */
export interface Weighing {
  /** A broken SHOULD fails the run too. */
  strict?: boolean;
  /** Failures that the plugin's manifest explains as known deviations do not fail the run. */
  acceptKnown?: boolean;
  /** Cases that held in one attempt and broke in another do not fail the run. */
  allowFlaky?: boolean;
  /** An expectation that is no longer true fails the run too: nothing broke, its day is over, or it fits no case. */
  strictExpectations?: boolean;
}

/** The options of a run that weigh its results; the log keeps them. */
export const WEIGHING_OPTIONS = [
  'strict',
  'acceptKnown',
  'allowFlaky',
  'strictExpectations',
] as const satisfies (keyof Weighing)[];

/** Those of `options` that say how results are weighed, without the ones that are not said. */
export const weighingOf = (options: Weighing): Weighing =>
  Object.fromEntries(WEIGHING_OPTIONS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));

/**
 * What a result breaks. A process that dies or hangs breaks a MUST, except in a case that is no more than a SHOULD and
 * whose findings say no more: an optional part may be absent, but when it is there it may not take the process down.
 * What broke in one attempt of several is broken.
 */
export function breachOf(level: Level, result: CaseResult | undefined): Breach {
  switch (result?.status) {
    case 'fail':
      return 'must';
    case 'warn':
      return 'should';
    case 'crash':
    case 'timeout':
    case 'flaky':
      if (level === 'must' || level === 'opt') return 'must';
      return result.findings.some((finding) => finding.level === 'must') ? 'must' : 'should';
    default:
      return undefined;
  }
}

/** Whether a result fails the run: exit code, JUnit and console all ask here, so they cannot disagree. */
export function failsRun(plan: Weight, result: CaseResult | undefined, weighing: Weighing): boolean {
  if (plan.informative) return false;
  if (weighing.strictExpectations && isUnexpectedPass(result)) return true;
  const breach = breachOf(plan.level, result);
  if (breach === undefined || (breach === 'should' && !weighing.strict)) return false;
  if (result?.status === 'flaky' && weighing.allowFlaky) return false;
  // Where an expectation speaks of a case, it decides alone; known deviations only explain.
  const outcome = result?.expectation?.outcome;
  if (outcome === 'met') return false;
  return !(weighing.acceptKnown && result?.knownDeviation && outcome !== 'different');
}

/** Whether something was expected to break that did not. */
export const isUnexpectedPass = (result: CaseResult | undefined): boolean =>
  result?.expectation?.outcome === 'unexpected-pass';

/** Whether a broken requirement is let pass only because an expectations file expects it. */
export function isExpectedFailure(plan: Weight, result: CaseResult | undefined, weighing: Weighing): boolean {
  if (result?.expectation?.outcome !== 'met') return false;
  const { expectation: _, ...bare } = result;
  return failsRun(plan, bare, { ...weighing, acceptKnown: false, allowFlaky: false });
}

/** Whether a broken requirement is let pass only because it is a known deviation. */
export function isAcceptedDeviation(plan: Weight, result: CaseResult | undefined, weighing: Weighing): boolean {
  return failsRun(plan, result, { ...weighing, acceptKnown: false }) && !failsRun(plan, result, weighing);
}
