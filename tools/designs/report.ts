import { textTable } from '../../harness/base/text-table.ts';
import { type FailingCase, type Group, grouped, isKilled, type Outcome } from './outcome.ts';

/** Result of one design. */
export interface DesignResult {
  name: string;
  outcome: Outcome;
  /** Cases that pass on the plain base, but not on this. */
  violated: FailingCase[];
  seconds: number;
}

/** Number of ids of a group that are printed; the file has all. */
const SHOWN = 4;

/** One line per design. */
export function tableOf(results: readonly DesignResult[]): string {
  const rows = results.map(({ name, outcome: { cases, counts }, violated, seconds }) => [
    name,
    cases,
    counts.pass ?? 0,
    counts.unsupported ?? 0,
    counts.warn ?? 0,
    violated.length,
    violated.filter(isKilled).length,
    Math.round(seconds),
  ]);
  const head = ['design', 'cases', 'passed', 'unsupported', 'warned', 'violated MUSTs', 'killed', 'seconds'];
  const align = head.map((_, i) => (i === 0 ? 'left' : 'right'));
  return textTable(
    [head, ...rows].map((row) => row.map(String)),
    { align },
  ).join('\n');
}

/** False alarms on a valid design, by reason. */
export const groupsOf = (violated: readonly FailingCase[]): string => grouped(violated).map(textOf).join('\n');

function textOf({ type, call, message, cases }: Group): string {
  const more = cases.length > SHOWN ? `, and ${cases.length - SHOWN} more` : '';
  return `  ${cases.length} x ${type} ${call}: ${message}\n      ${cases.slice(0, SHOWN).join(', ')}${more}`;
}
