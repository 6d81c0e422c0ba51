import { UsageError } from '../../base/usage-error.ts';
import { type Comparison, commonCases, compareRuns } from './compare.ts';
import { policyIn } from './policy.ts';
import { runsIn } from './read-runs.ts';

/** The files to compare, as given on a command line, and the policy. */
export interface CompareInput {
  old: readonly string[];
  new: readonly string[];
  /** Policy file; default: the default policy. */
  policy?: string | undefined;
}

/** What changed between the runs in two sets of files. @throws UsageError, EventLogError, SuiteError (for the policy) */
export function compareFiles(input: CompareInput, cwd: string): Comparison {
  const policy = policyIn(input.policy, cwd);
  const [old, now] = [runsIn(input.old, cwd), runsIn(input.new, cwd)];
  if (commonCases(old, now) === 0) {
    const names = [...old, ...now].map(({ name }) => name).join(', ');
    throw new UsageError(
      `${names}: the runs have no case in common: nothing to compare; did they use the same suites?`,
    );
  }
  return compareRuns(old, now, policy);
}
