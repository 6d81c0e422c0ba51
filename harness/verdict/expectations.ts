import type { ExpectationEntry } from '../model/expectation.ts';
import type { Run } from '../model/run.ts';
import { isExpectedFailure, isUnexpectedPass, type Weighing } from './breach.ts';

/** How far a run went as its expectations files say. */
export interface ExpectationCounts {
  /** Cases that would fail the run if it were not expected of them. */
  expectedFailures: number;
  /** Cases that broke nothing although that was expected of them. */
  unexpectedPasses: number;
}

export function expectationCounts(run: Run, weighing: Weighing = run.header?.options ?? {}): ExpectationCounts {
  const counts: ExpectationCounts = { expectedFailures: 0, unexpectedPasses: 0 };
  for (const { plan, result } of run.cases.values()) {
    if (isExpectedFailure(plan, result, weighing)) counts.expectedFailures++;
    if (isUnexpectedPass(result)) counts.unexpectedPasses++;
  }
  return counts;
}

/** Entries that excuse nothing any more, or that no case has ever heard of. */
export const staleEntries = (run: Run): ExpectationEntry[] =>
  (run.expectations ?? []).filter(({ standing }) => standing === 'expired' || standing === 'unmatched');

/** What a reader of a report must know of an entry, and what to do about it. */
export const staleText = ({ file, line, cases, standing, expires }: ExpectationEntry): string =>
  standing === 'expired'
    ? `${file}:${line}: the expectation of ${cases.join(', ')} expired on ${expires}; check the cases, then renew or remove it`
    : `${file}:${line}: no case matches ${cases.join(', ')}; correct the entry or remove it`;
