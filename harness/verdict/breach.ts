import type { CaseResult } from '../model/case-result.ts';
import type { PlannedCase } from '../model/events.ts';

type Level = PlannedCase['level'];

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

/** Whether an expected failure did not occur. */
export const isUnexpectedPass = (result: CaseResult | undefined): boolean =>
  result?.expectation?.outcome === 'unexpected-pass';
