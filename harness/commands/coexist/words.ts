/** What all reports of a matrix say in the same words. */
import type { Interference } from './blame.ts';
import type { Cell, CellStatus } from './cell.ts';
import { cellsAt, type Matrix } from './matrix.ts';

/** A mark and a word for each status. */
export const STATUS_WORDS: Readonly<Record<CellStatus, { mark: string; word: string }>> = {
  pass: { mark: '✓', word: 'pass' },
  warn: { mark: '!', word: 'warning' },
  'no-client': { mark: '○', word: 'no client' },
  known: { mark: '~', word: 'known' },
  fail: { mark: '✗', word: 'fail' },
  impossible: { mark: '–', word: 'impossible' },
  error: { mark: '?', word: 'no result' },
};

const EVIDENCE: Readonly<Record<Interference['evidence'], string>> = {
  seen: 'a step of it was seen to do it',
  alone: 'it happens without company too',
  itself: 'it happens beside itself',
  partners: 'it happens beside every partner, and to no other pair',
  undecided: 'the evidence does not decide between them',
};

/** Why this plugin is to blame. */
export const evidenceText = ({ evidence, only }: Interference): string =>
  [EVIDENCE[evidence], ...(only ? [`only when ${only}`] : [])].join('; ');

/** Who is to blame. */
export const culpritText = ({ culprit, candidates }: Interference): string =>
  culprit ?? `either ${candidates?.join(' or ') ?? 'of them'}`;

/** `pass`, `fail 3`: the status of a cell, with the number of its troubles. */
export function cellText({ status, troubles }: Cell): string {
  const count = new Set(troubles.filter((t) => t.level === status).map((t) => t.where)).size;
  const { mark, word } = STATUS_WORDS[status];
  return `${mark} ${word}${count > 0 ? ` ${count}` : ''}`;
}

/** What a cell is, as a heading. */
export function cellTitle({ company, plugins, name }: Pick<Cell, 'company' | 'plugins' | 'name'>): string {
  switch (company) {
    case 'alone':
      return `${plugins[0]} alone`;
    case 'same-file':
      return `${plugins[0]} twice, the same file`;
    case 'copy':
      return `${plugins[0]} beside a copy of its file`;
    case 'pair':
      return `${plugins[0]}, then ${plugins[1]}`;
    default:
      return name === 'all' ? `all: ${plugins.join(', ')}` : `all in reverse: ${plugins.join(', ')}`;
  }
}

/** A row of the matrix: what is loaded first, and the result of it alone and with each that is loaded second. */
export interface Row {
  first: string;
  alone: Cell | undefined;
  /** In the order of the plugins; two cells with itself. */
  beside: { second: string; cells: Cell[] }[];
}

/** The matrix as rows. */
export const rowsOf = ({ plugins, cells }: Matrix): Row[] =>
  plugins.map(({ name: first }) => ({
    first,
    alone: cells.find(({ company, plugins: [only] }) => company === 'alone' && only === first),
    beside: plugins.map(({ name: second }) => ({ second, cells: cellsAt(cells, first, second) })),
  }));

/** Cells that have all plugins. */
export const cellsOfAll = ({ cells }: Matrix): Cell[] => cells.filter(({ company }) => company === 'all');
