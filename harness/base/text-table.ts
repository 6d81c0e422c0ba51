import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';

/** Text for terminals, by the columns that it takes there: East Asian characters take two, colours none. */

/** Columns that a text takes. Composed first: the library counts every part of a Hangul syllable. */
export const textWidth = (text: string): number => stringWidth(text.normalize());

/** A text padded with blanks to a number of columns. */
export const padded = (text: string, columns: number, side: 'left' | 'right' = 'left'): string => {
  const blanks = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return side === 'left' ? text + blanks : blanks + text;
};

/** Where a line may be cut without cutting a word: after a blank, or after the marks between the parts of a name. */
const BREAKS = /[\s/:,;[\]()=]/;
/** A word longer than this is cut all the same. */
const LONGEST = 24;

/** One line without colours, cut between words to a number of columns, with an ellipsis. */
export function shortened(line: string, columns: number): string {
  if (line.length <= columns / 2 || textWidth(line) <= columns) return line;
  let used = 1;
  let end = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    used += textWidth(segment);
    if (used > columns) break;
    end += segment.length;
  }
  const cut = line.slice(0, end);
  if (BREAKS.test(line[end] ?? '')) return `${cut.trimEnd()}…`;
  const word = [...cut].toReversed().findIndex((character) => BREAKS.test(character));
  return `${(word > 0 && word <= LONGEST ? cut.slice(0, -word) : cut).trimEnd()}…`;
}

/** A text on lines of at most so many columns, wrapped between words and indented as it is; a longer word is cut. */
export function wrapped(text: string, columns: number): string[] {
  if (!Number.isFinite(columns) || textWidth(text) <= columns) return [text];
  const words = text.trimStart();
  const indent = ' '.repeat(Math.min(text.length - words.length, columns >> 1));
  const lines = wrapAnsi(words, Math.max(columns - indent.length, 1), { hard: true }).split('\n');
  return lines.map((line) => indent + line);
}

interface TableOptions {
  /** Stands before every line. */
  indent?: string;
  /** Stands between columns. */
  gap?: string;
  /** By column; default: left. */
  align?: readonly ('left' | 'right')[];
  /** Minimum width by column. */
  atLeast?: readonly number[];
  /** Columns of the terminal; default: lines do not end. */
  width?: number;
}

/** Columns that the last cell of a row has at least, however narrow the terminal is. */
const ROOM = 20;

/**
 * Rows as lines in which the cells of a column begin, or end, below each other. The last cell of a row is not padded; it continues
 * below its beginning where the terminal is too narrow.
 */
export function textTable(
  rows: readonly (readonly string[])[],
  { indent = '', gap = '  ', align = [], atLeast = [], width = Number.POSITIVE_INFINITY }: TableOptions = {},
): string[] {
  const widths: number[] = [...atLeast];
  const isPadded = (row: readonly string[], i: number): boolean => i < row.length - 1 || align[i] === 'right';
  for (const row of rows) {
    for (const [i, cell] of row.entries()) if (isPadded(row, i)) widths[i] = Math.max(widths[i] ?? 0, textWidth(cell));
  }
  return rows.flatMap((row) => {
    const cells = row.map((cell, i) => (isPadded(row, i) ? padded(cell, widths[i]!, align[i] ?? 'left') : cell));
    const last = cells.pop() ?? '';
    const before = [indent, ...cells.map((cell) => cell + gap)].join('');
    const hang = ' '.repeat(textWidth(before));
    const [first = '', ...more] = wrapped(last, Math.max(ROOM, width - hang.length));
    return [before + first, ...more.map((line) => hang + line)].map((line) => line.trimEnd());
  });
}
