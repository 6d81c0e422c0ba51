import { cut } from '../../base/sanitize.ts';
import { textTable } from '../../base/text-table.ts';
import { type Paint, painter, type Style } from '../../report/console/paint.ts';
import type { Interference } from './blame.ts';
import type { Cell, CellStatus } from './cell.ts';
import type { Matrix } from './matrix.ts';
import { cellsOfAll, cellText, cellTitle, culpritText, evidenceText, rowsOf, STATUS_WORDS } from './words.ts';

const STYLES: Readonly<Record<CellStatus, Style>> = {
  pass: 'green',
  warn: 'yellow',
  'no-client': 'cyan',
  known: 'yellow',
  fail: 'red',
  impossible: 'dim',
  error: 'red',
};
const WIDTH = 400;
const CELLS_SHOWN = 6;

/** One line when a cell has ended. */
export const progressLine = (cell: Cell, done: number, planned: number): string =>
  `[${done}/${planned}] ${cellTitle(cell)}: ${cellText(cell)} (${(cell.durationMs / 1000).toFixed(1)} s)`;

/** The matrix for a terminal. */
export function matrixLines(matrix: Matrix, { color = false, verbose = false } = {}): string[] {
  const paint = painter(color);
  const lines = [...tableLines(matrix, paint), ''];
  for (const cell of cellsOfAll(matrix)) lines.push(`${cellTitle(cell)}  ${painted(cell, paint)}`);
  if (cellsOfAll(matrix).length > 0) lines.push('');
  for (const { plugin, reason } of clientless(matrix)) {
    lines.push(`${paint('cyan', '○')} ${plugin} creates no client, here: ${cut(reason, WIDTH)}`);
  }
  const shown = matrix.interferences.filter(
    ({ evidence, level }) => verbose || evidence !== 'alone' || level === 'fail',
  );
  for (const item of shown) lines.push(...interferenceLines(item, paint, verbose));
  const hidden = matrix.interferences.length - shown.length;
  if (hidden > 0) lines.push(paint('dim', `and ${hidden} warnings of plugins alone (--verbose)`));
  const notes = matrix.static.filter(({ level }) => verbose || level === 'warning');
  for (const { message, names } of notes) {
    lines.push(`${paint('dim', 'file')}  ${cut(message, WIDTH)}${verbose && names ? `: ${names.join(', ')}` : ''}`);
  }
  lines.push(
    '',
    paint([matrix.exitCode === 0 ? 'green' : 'red', 'bold'], `${matrix.line} (exit code ${matrix.exitCode})`),
  );
  return lines;
}

function tableLines(matrix: Matrix, paint: Paint): string[] {
  const rows = rowsOf(matrix);
  const heads = ['loaded first', 'alone', ...rows.map(({ first }) => `+ ${first}`)];
  const table = rows.map(({ first, alone, beside }) => [
    first,
    alone ? painted(alone, paint) : '',
    ...beside.map(({ cells }) => cells.map((cell) => painted(cell, paint)).join(' · ')),
  ]);
  return [
    ...textTable([heads.map((head) => paint('bold', head)), ...table]),
    paint('dim', 'with itself: the same file · a copy of it'),
  ];
}

const painted = (cell: Cell, paint: Paint): string => paint(STYLES[cell.status], cellText(cell));

const clientless = ({ cells }: Matrix): { plugin: string; reason: string }[] =>
  cells.filter(({ company }) => company === 'alone').flatMap(({ withoutClient }) => withoutClient);

function interferenceLines(item: Interference, paint: Paint, verbose: boolean): string[] {
  const { level, where, message, cells, victims, reason, detail, reproduce } = item;
  const status: CellStatus = level;
  const others = victims.filter((victim) => victim !== item.culprit);
  const more = cells.length > CELLS_SHOWN && !verbose ? ` and ${cells.length - CELLS_SHOWN} more` : '';
  return [
    '',
    `${paint([STYLES[status], 'bold'], `${STATUS_WORDS[status].mark} ${culpritText(item)}`)} ${paint('dim', `(${evidenceText(item)})`)}`,
    `      ${cut(message, WIDTH)}`,
    `      ${paint('dim', where)}${others.length > 0 ? `, felt by ${others.join(', ')}` : ''}`,
    ...(reason === undefined ? [] : [`      known deviation: ${cut(reason, WIDTH)}`]),
    `      ${paint('dim', 'in')} ${(verbose ? cells : cells.slice(0, CELLS_SHOWN)).join(', ')}${more}`,
    ...(verbose && detail !== undefined ? detail.split('\n').map((line) => `        ${cut(line, WIDTH)}`) : []),
    ...(level === 'fail' ? [`      ${paint('dim', 'reproduce:')} ${paint('cyan', reproduce)}`] : []),
  ];
}
