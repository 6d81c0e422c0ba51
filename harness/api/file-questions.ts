import { resolve } from 'node:path';
import { type Verification, verifyBundle } from '../commands/verify/verify-bundle.ts';
import type { Comparison } from '../report/compare/compare.ts';
import { compareFiles } from '../report/compare/compare-files.ts';
import type { Trend } from '../report/trend/trend.ts';
import { trendOfFiles } from '../report/trend/trend-files.ts';

/** Two sides to compare. */
export interface CompareRequest {
  /** Directories of runs, logs or JSON reports. Several are the parts of a sharded run, or repeats. */
  old: string | string[];
  new: string | string[];
  /** Policy file: which changes are regressions. */
  policy?: string;
  /** Base of relative paths. Default: the working directory. */
  cwd?: string;
}

/**
 * What changed between two runs, and whether the policy calls it a regression; like the command `compare`.
 * @throws UsageError, EventLogError, SuiteError
 */
export function compare({ old, new: now, policy, cwd = process.cwd() }: CompareRequest): Comparison {
  return compareFiles({ old: [old].flat(), new: [now].flat(), policy }, cwd);
}

/** Runs of one plugin. */
export interface TrendRequest {
  /** Directories of runs, logs or JSON reports, two or more, in any order. */
  runs: string[];
  /** Only so many of the newest. */
  last?: number;
  /** Base of relative paths. Default: the working directory. */
  cwd?: string;
}

/**
 * What changed over several runs: pass rate, unstable cases, times, memory; like the command `trend`.
 * @throws UsageError, EventLogError
 */
export const trend = ({ runs, last, cwd = process.cwd() }: TrendRequest): Trend => trendOfFiles({ runs, last }, cwd);

/** Whether a bundle is complete and consistent; like the command `verify`. @throws UnreadableError */
export const verify = (bundle: string, { cwd = process.cwd() }: { cwd?: string } = {}): Promise<Verification> =>
  verifyBundle(resolve(cwd, bundle));
