import { code, fenced, markdownText } from '../../report/markdown-text.ts';
import type { Cell } from './cell.ts';
import type { Matrix } from './matrix.ts';
import { cellsOfAll, cellText, cellTitle, culpritText, evidenceText, rowsOf } from './words.ts';

/** The matrix as Markdown. */
export function writeMarkdown(matrix: Matrix, write: (chunk: string) => void): void {
  const rows = rowsOf(matrix);
  const cells = (some: readonly Cell[]): string => some.map((cell) => markdownText(cellText(cell))).join(' · ');
  const row = (parts: readonly string[]): string => `| ${parts.join(' | ')} |\n`;
  write(`## ${matrix.exitCode === 0 ? '✅' : '❌'} PJRT coexistence: ${markdownText(matrix.line)}\n\n`);
  write(row(['loaded first', 'alone', ...rows.map(({ first }) => `+ ${markdownText(first)}`)]));
  write(row(['---', '---', ...rows.map(() => '---')]));
  for (const { first, alone, beside } of rows) {
    write(row([markdownText(first), alone ? cells([alone]) : '', ...beside.map((one) => cells(one.cells))]));
  }
  write('\nWith itself: the same file · a copy of it.\n');
  for (const cell of cellsOfAll(matrix)) write(`\n- ${markdownText(cellTitle(cell))}: ${cells([cell])}`);
  write('\n');
  for (const item of matrix.interferences) {
    write(`\n### ${markdownText(culpritText(item))}: ${item.level}\n\n`);
    write(`${markdownText(item.message)} (${markdownText(evidenceText(item))})\n\n`);
    const facts = [
      `${code(item.where)}${item.requirements.length > 0 ? ` · ${item.requirements.join(' ')}` : ''}`,
      `in ${item.cells.map(code).join(', ')}`,
      ...(item.reason === undefined ? [] : [`known deviation: ${markdownText(item.reason)}`]),
    ];
    for (const fact of facts) write(`- ${fact}\n`);
    if (item.detail !== undefined) write(`\n${fenced(item.detail.split('\n').slice(0, 20))}`);
  }
  if (matrix.static.length > 0) write('\n### Files\n\n');
  for (const { message } of matrix.static) write(`- ${markdownText(message)}\n`);
}
