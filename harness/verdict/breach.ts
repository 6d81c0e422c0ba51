import type { CaseResult } from '../model/case-result.ts';
import type { PlannedCase } from '../model/events.ts';

type Level = PlannedCase['level'];
type Weight = Pick<PlannedCase, 'level' | 'informative'>;

/** What a result violates: a MUST, a SHOULD, or nothing. */
type Breach = 'must' | 'should' | undefined;

/** Options of a verdict: a run fails on a violated MUST, or with `strict` on a violated SHOULD, that nothing excuses. */
export interface Weighing {
  /** A violated SHOULD fails the run too. */
  strict?: boolean;
  /** Known deviations of the plugin's manifest do not fail the run. */
  acceptKnown?: boolean;
  /** Cases that passed in one attempt and failed in another do not fail the run. */
  allowFlaky?: boolean;
  /** A stale expectation fails the run too: the failure is gone, the entry has expired, or it matches no case. */
  strictExpectations?: boolean;
}

/** The options of a run that affect its verdict; the log stores them. */
export const WEIGHING_OPTIONS = [
  'strict',
  'acceptKnown',
  'allowFlaky',
  'strictExpectations',
] as const satisfies (keyof Weighing)[];

/** Those of `options` that affect the verdict, without undefined ones. */
export const weighingOf = (options: Weighing): Weighing =>
  Object.fromEntries(WEIGHING_OPTIONS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));

/**
 * What a result violates. A process that dies or hangs violates a MUST, except in a SHOULD case whose findings are no more
 * severe: an optional part may be absent, but if it is present it must not kill the process. A violation in one of several
 * attempts counts.
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

/** Whether a result fails the run. The single rule behind exit code, JUnit and console. */
export function failsRun(plan: Weight, result: CaseResult | undefined, weighing: Weighing): boolean {
  if (plan.informative) return false;
  if (weighing.strictExpectations && isUnexpectedPass(result)) return true;
  const breach = breachOf(plan.level, result);
  if (breach === undefined || (breach === 'should' && !weighing.strict)) return false;
  if (result?.status === 'flaky' && weighing.allowFlaky) return false;
  // An expectation for a case decides alone; known deviations only explain.
  const outcome = result?.expectation?.outcome;
  if (outcome === 'met') return false;
  return !(weighing.acceptKnown && result?.knownDeviation && outcome !== 'different');
}

/** Whether a case makes its run anything but good: it fails the run, or ended in an internal error. */
export const isRed = (item: { plan: Weight; result?: CaseResult | undefined }, weighing: Weighing): boolean =>
  item.result?.status === 'error' || failsRun(item.plan, item.result, weighing);

/** Whether an expected failure did not occur. */
export const isUnexpectedPass = (result: CaseResult | undefined): boolean =>
  result?.expectation?.outcome === 'unexpected-pass';

/** Whether a violation is excused only by an expectations file. */
export function isExpectedFailure(plan: Weight, result: CaseResult | undefined, weighing: Weighing): boolean {
  if (result?.expectation?.outcome !== 'met') return false;
  const { expectation: _, ...bare } = result;
  return failsRun(plan, bare, { ...weighing, acceptKnown: false, allowFlaky: false });
}

/** Whether a violation is excused only as a known deviation. */
export function isAcceptedDeviation(plan: Weight, result: CaseResult | undefined, weighing: Weighing): boolean {
  return failsRun(plan, result, { ...weighing, acceptKnown: false }) && !failsRun(plan, result, weighing);
}
