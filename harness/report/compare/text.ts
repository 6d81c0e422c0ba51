import { groupedBy } from '../../base/grouping.ts';
import { cut } from '../../base/sanitize.ts';
import { padded } from '../../base/text-table.ts';
import { type Paint, painter } from '../console/paint.ts';
import type { Change } from './change.ts';
import type { Comparison } from './compare.ts';
import { exceptionText, fromTo, groups, numbersText, quietText, sideText, timeText, transitionText } from './words.ts';

export interface TextOptions {
  color?: boolean;
  /** Every change with its full detail. */
  verbose?: boolean;
  /** Only failing changes and the verdict. */
  quiet?: boolean;
  /** Consequence of the verdict; default: the exit code of `compare`. */
  consequence?: string;
}

/** Changes of one kind that are shown before the rest is only counted. */
const SHOWN = 10;
const DETAIL_LINES = 8;
const WIDTH = 400;

/** The comparison for a terminal: failing changes first, with commands to reproduce them; the verdict last. */
export function comparisonLines(comparison: Comparison, options: TextOptions = {}): string[] {
  const paint = painter(options.color ?? false);
  const row = (label: string, text: string): string => `${paint('bold', padded(label, 11))} ${cut(text, WIDTH)}`;
  const lines = [row('old', sideText(comparison.old)), row('new', sideText(comparison.new))];
  if (!options.quiet) for (const caution of comparison.cautions) lines.push(row('caution', paint('yellow', caution)));
  for (const action of options.quiet ? (['fail'] as const) : (['fail', 'warn'] as const)) {
    const [mark, style] = action === 'fail' ? (['✗', 'red'] as const) : (['!', 'yellow'] as const);
    for (const { title, changes } of groups(comparison.changes.filter((change) => change.action === action))) {
      lines.push('', paint([style, 'bold'], `${mark} ${title} (${changes.length})`));
      const causes = options.verbose ? changes.map((change) => [change]) : byCause(changes);
      const shown = options.verbose ? causes : causes.slice(0, SHOWN);
      for (const [change, ...others] of shown) lines.push(...changeLines(change!, others, options, paint));
      const rest = changes.length - shown.flat().length;
      if (rest > 0) lines.push(paint('dim', `  and ${rest} more (--verbose, or --format json)`));
    }
  }
  lines.push('');
  const quiet = quietText(comparison);
  if (!options.quiet) {
    lines.push(row('cases', transitionText(comparison)));
    if (quiet) lines.push(row('also', quiet));
    const numbers = numbersText(comparison);
    if (numbers) lines.push(row('numbers', numbers));
    lines.push(row('times', timeText(comparison)));
  }
  const { verdict, line } = comparison.gate;
  const style = verdict === 'fail' ? 'red' : 'green';
  const consequence = options.consequence ?? `exit code ${verdict === 'fail' ? 1 : 0}`;
  lines.push(`${paint([style, 'bold'], `gate: ${line}`)} ${paint('dim', `(${consequence})`)}`);
  return lines;
}

/** Changes that say the same, but for numbers; the most frequent first. */
function byCause(changes: readonly Change[]): Change[][] {
  const alike = groupedBy(changes, (change) =>
    [change.plugin, fromTo(change), change.message.replace(/\d+/g, '#'), exceptionText(change)].join('\0'),
  );
  return [...alike.values()].sort((a, b) => b.length - a.length);
}

/** The names of others of the same cause. */
const ALSO = 3;

/** A change in full, and the names of others that have its cause. */
function changeLines(change: Change, others: readonly Change[], { verbose }: TextOptions, paint: Paint): string[] {
  const { subject, plugin, message, detail = [], place, requirements = [], reproduce, caution } = change;
  const exception = exceptionText(change);
  const lines = [
    `  ${paint('bold', subject)}${plugin ? ` of ${plugin}` : ''}  ${paint('dim', fromTo(change))}`,
    `      ${cut(message, WIDTH)}`,
  ];
  const facts = [place, requirements.join(' ')].filter((text) => text !== undefined && text !== '');
  if (facts.length > 0) lines.push(`      ${paint('dim', facts.join(' · '))}`);
  if (change.action === 'fail' || verbose) {
    const shown = verbose ? detail : detail.slice(0, DETAIL_LINES);
    lines.push(...shown.map((line) => `        ${line}`));
    if (detail.length > shown.length) lines.push(paint('dim', `        … ${detail.length - shown.length} more lines`));
  }
  if (exception) lines.push(`      ${paint('yellow', exception)}`);
  if (caution) lines.push(`      ${paint('yellow', `caution: ${caution}`)}`);
  if (reproduce) lines.push(`      ${paint('dim', 'reproduce:')} ${paint('cyan', reproduce)}`);
  if (others.length > 0) {
    const named = others.slice(0, ALSO).map(({ subject: name }) => name);
    const rest = others.length > ALSO ? ', … (--verbose)' : '';
    lines.push(`      ${paint('dim', `${others.length} more alike:`)} ${cut(named.join(', '), WIDTH)}${rest}`);
  }
  return lines;
}

/** The comparison as a text file. */
export function writeText(comparison: Comparison, write: (chunk: string) => void): void {
  for (const line of comparisonLines(comparison)) write(`${line}\n`);
}
