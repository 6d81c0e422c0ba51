import type { ChangeKind } from './change.ts';
import type { Comparison } from './compare.ts';

/** Data of the comparison page, in one block of the part `comparison`. */
export interface HtmlComparison extends Comparison {
  /** Headings of the kinds of changes, in report order. */
  titles: Record<ChangeKind, string>;
  /** Times are omitted so that equal comparisons give equal files. */
  timeless: boolean;
}
