import { cleanLine } from '../base/sanitize.ts';

/** Text inside HTML. */
export const htmlText = (value: string): string =>
  cleanLine(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Text escaped for Markdown. */
export const markdownText = (value: string): string => htmlText(value).replace(/[\\`*_{}[\]()#+!|~]/g, '\\$&');

/** A code span, whatever backticks the text has. */
export function code(value: string): string {
  const clean = cleanLine(value);
  const longest = Math.max(0, ...(clean.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${clean}\`` : `${fence} ${clean} ${fence}`;
}

/** A block of lines that Markdown leaves alone. */
export function fenced(lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map((run) => run.length)));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${lines.join('\n')}\n${fence}\n`;
}
