import { type BrokenCase, type Group, grouped, isKilled, type Outcome } from './outcome.ts';

/** What became of one design. */
export interface DesignResult {
  name: string;
  outcome: Outcome;
  /** Cases that the plain base passes, and this does not. */
  broken: BrokenCase[];
  seconds: number;
}

/** How many ids of a group are printed; all of them are in the file. */
const SHOWN = 4;

/** A line a design. */
export function tableOf(results: readonly DesignResult[]): string {
  const rows = results.map(({ name, outcome: { cases, counts }, broken, seconds }) => [
    name,
    cases,
    counts.pass ?? 0,
    counts.unsupported ?? 0,
    counts.warn ?? 0,
    broken.length,
    broken.filter(isKilled).length,
    Math.round(seconds),
  ]);
  const head = ['design', 'cases', 'passed', 'unsupported', 'warned', 'broken MUSTs', 'killed', 'seconds'];
  const all = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]!.length)));
  return all
    .map((row) => row.map((text, i) => (i === 0 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join('  '))
    .join('\n');
}

/** What is held against a design that is right, by what it is. */
export const groupsOf = (broken: readonly BrokenCase[]): string => grouped(broken).map(textOf).join('\n');

function textOf({ type, call, message, cases }: Group): string {
  const more = cases.length > SHOWN ? `, and ${cases.length - SHOWN} more` : '';
  return `  ${cases.length} x ${type} ${call}: ${message}\n      ${cases.slice(0, SHOWN).join(', ')}${more}`;
}
