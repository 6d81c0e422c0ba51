import { resolve } from 'node:path';
import type { Comparison } from '../compare/compare.ts';
import { compareFiles } from '../compare/compare-files.ts';
import { type Verification, verifyBundle } from '../verify/verify-bundle.ts';

/** Two sides to compare. */
export interface CompareRequest {
  /** Folders of runs, logs or JSON reports; several are the parts of a sharded run, or repeats. */
  old: string | string[];
  new: string | string[];
  /** File that says what counts as a regression. */
  policy?: string;
  /** Relative paths start here. Default: the folder of the process. */
  cwd?: string;
}

/**
 * What changed between two runs, and whether the policy calls it a regression, as the command `compare` says.
 * @throws UsageError, EventLogError, SuiteError
 */
export function compare({ old, new: now, policy, cwd = process.cwd() }: CompareRequest): Comparison {
  return compareFiles({ old: [old].flat(), new: [now].flat(), policy }, cwd);
}

/** Whether a bundle is complete and consistent, as the command `verify` says. @throws UnreadableError */
export const verify = (bundle: string, { cwd = process.cwd() }: { cwd?: string } = {}): Promise<Verification> =>
  verifyBundle(resolve(cwd, bundle));
