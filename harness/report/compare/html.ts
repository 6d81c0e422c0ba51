import type { ComparisonOptions } from '../format.ts';
import { packedBlock, writePage } from '../html-page.ts';
import { htmlText } from '../markdown-text.ts';
import { CHANGE_KINDS, CHANGES, type Change, type ChangeKind } from './change.ts';
import type { Comparison } from './compare.ts';
import { exceptionText, sideText } from './words.ts';

/** Data of the comparison page, in one block of the part `comparison`. */
export interface HtmlComparison extends Comparison {
  /** With what each exception counts as. */
  changes: Change[];
  /** Headings of the kinds of changes, in report order. */
  titles: Record<ChangeKind, string>;
  /** Times are omitted so that equal comparisons give equal files. */
  timeless: boolean;
}

/** The comparison as one HTML file: the page of a run's report with other data. */
export function writeHtml(
  comparison: Comparison,
  write: (chunk: string) => void,
  { fixedTime }: ComparisonOptions = {},
): void {
  const { old, new: now, gate } = comparison;
  const titles = Object.fromEntries(
    CHANGE_KINDS.map((kind) => [kind, CHANGES[kind].title]),
  ) as HtmlComparison['titles'];
  const startedAt = fixedTime?.toISOString();
  const data: HtmlComparison = {
    ...comparison,
    changes: comparison.changes.map((change) => ({ ...change, exception: exceptionText(change) })),
    ...(fixedTime ? { old: { ...old, startedAt }, new: { ...now, startedAt } } : {}),
    titles,
    timeless: fixedTime !== undefined,
  };
  const fallback =
    `<h1>PJRT gate: ${htmlText(gate.line)}</h1>` +
    `<p>${htmlText(sideText(old))}, then ${htmlText(sideText(now))}.</p>`;
  writePage(write, fallback, () => write(packedBlock('comparison', 0, JSON.stringify(data))));
}
