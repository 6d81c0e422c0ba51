import type { ChangeKind } from './change.ts';
import type { Comparison } from './compare.ts';

/** What the page of a comparison carries, in one block of the part `comparison`. */
export interface HtmlComparison extends Comparison {
  /** Headings over the kinds of changes, in the order of reports. */
  titles: Record<ChangeKind, string>;
  /** Times were left out, so that equal comparisons give equal files. */
  timeless: boolean;
}
