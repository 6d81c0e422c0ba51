import type { ExpectationEntry } from '../model/expectation.ts';
import type { Run } from '../model/run.ts';
import type { Count } from '../model/values.ts';
import { isUnexpectedPass, type Weighing } from './breach.ts';
import { standingOf } from './standing.ts';

/** How a run compares with its expectations files. */
export interface ExpectationCounts {
  /** Cases that violate what they are expected to violate, or a waiver allows. @since log 1.2 */
  expectedFailures: Count;
  /** Cases that passed although they were expected to fail. @since log 1.2 */
  unexpectedPasses: Count;
}

export function expectationCounts(run: Run, weighing: Weighing = run.header?.options ?? {}): ExpectationCounts {
  const counts: ExpectationCounts = { expectedFailures: 0, unexpectedPasses: 0 };
  for (const item of run.cases.values()) {
    if (['expected', 'waived'].includes(standingOf(item, weighing))) counts.expectedFailures++;
    if (isUnexpectedPass(item.result)) counts.unexpectedPasses++;
  }
  return counts;
}

/** Entries that excuse nothing any more, match no case, or do not say why. */
export const staleEntries = (run: Run): ExpectationEntry[] =>
  (run.expectations ?? []).filter((entry) => staleness(entry) !== undefined);

/** What is wrong with an entry; undefined if nothing is. */
export const staleness = ({
  standing,
  placeholder,
}: ExpectationEntry): 'expired' | 'unmatched' | 'without a reason' | undefined =>
  standing === 'expired' || standing === 'unmatched'
    ? standing
    : placeholder && standing === 'active'
      ? 'without a reason'
      : undefined;

/** Explanation of a stale entry in a report, and what to do about it. */
export const staleText = (entry: ExpectationEntry): string => `${entry.file}:${entry.line}: ${explanationOf(entry)}`;

function explanationOf(entry: ExpectationEntry): string {
  const cases = entry.cases.join(', ');
  switch (staleness(entry)) {
    case 'expired':
      return `the expectation of ${cases} expired on ${entry.expires}; check the cases, then renew or remove it`;
    case 'without a reason':
      return `the expectation of ${cases} has no reason, only ${JSON.stringify(entry.reason)}; say why the cases fail`;
    default:
      return `no case matches ${cases}; correct the entry or remove it`;
  }
}
