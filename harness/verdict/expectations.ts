import type { ExpectationEntry } from '../model/expectation.ts';
import type { Run } from '../model/run.ts';
import type { Count } from '../model/values.ts';
import { isExpectedFailure, isUnexpectedPass, type Weighing } from './breach.ts';

/** How a run compares with its expectations files. */
export interface ExpectationCounts {
  /** Cases that would fail the run if they were not expected to fail. @since log 1.2 */
  expectedFailures: Count;
  /** Cases that passed although they were expected to fail. @since log 1.2 */
  unexpectedPasses: Count;
}

export function expectationCounts(run: Run, weighing: Weighing = run.header?.options ?? {}): ExpectationCounts {
  const counts: ExpectationCounts = { expectedFailures: 0, unexpectedPasses: 0 };
  for (const { plan, result } of run.cases.values()) {
    if (isExpectedFailure(plan, result, weighing)) counts.expectedFailures++;
    if (isUnexpectedPass(result)) counts.unexpectedPasses++;
  }
  return counts;
}

/** Entries that excuse nothing any more, or match no case. */
export const staleEntries = (run: Run): ExpectationEntry[] =>
  (run.expectations ?? []).filter(({ standing }) => standing === 'expired' || standing === 'unmatched');

/** Explanation of an entry in a report, and what to do about it. */
export const staleText = ({ file, line, cases, standing, expires }: ExpectationEntry): string =>
  standing === 'expired'
    ? `${file}:${line}: the expectation of ${cases.join(', ')} expired on ${expires}; check the cases, then renew or remove it`
    : `${file}:${line}: no case matches ${cases.join(', ')}; correct the entry or remove it`;
