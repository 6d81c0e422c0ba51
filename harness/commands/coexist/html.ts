import { packedBlock, writePage } from '../../report/html-page.ts';
import { htmlText } from '../../report/markdown-text.ts';
import type { Matrix } from './matrix.ts';
import { cellTitle, culpritText, evidenceText } from './words.ts';

/** Data of the coexistence page, in one block of the part `coexistence`. */
export interface HtmlMatrix extends Matrix {
  /** The heading of each cell, by name. */
  titles: Record<string, string>;
  /** Who is to blame for each interference, and why, in their order. */
  blame: { who: string; why: string }[];
}

/** The matrix as one HTML file: the page of a run's report with other data. */
export function writeHtml(matrix: Matrix, write: (chunk: string) => void): void {
  const data: HtmlMatrix = {
    ...matrix,
    titles: Object.fromEntries(matrix.cells.map((cell) => [cell.name, cellTitle(cell)])),
    blame: matrix.interferences.map((item) => ({ who: culpritText(item), why: evidenceText(item) })),
  };
  const fallback = `<h1>PJRT coexistence</h1><p>${htmlText(matrix.line)}</p>`;
  writePage(write, fallback, () => write(packedBlock('coexistence', 0, JSON.stringify(data))));
}
