import { cleanText, cut } from '../base/sanitize.ts';

const LINE_UNITS = 1000;
const FIRST_LINES = 400;
/** The last ones count what was omitted before them. */
const LAST_LINES = 2;

/** A message that is safe for a terminal and readable, even if it quotes unprintable, endless or damaged parts of a file. */
export function readable(message: string): string {
  // Only what a message itself ends begins a line.
  const lines = cleanText(message.replace(/\r(?!\n)/g, '\\r'))
    .split('\n')
    .map((line) => cut(line, LINE_UNITS));
  const omitted = lines.length - FIRST_LINES - LAST_LINES;
  if (omitted > 0) lines.splice(FIRST_LINES, omitted, `… ${omitted} more lines`);
  return lines.join('\n');
}
