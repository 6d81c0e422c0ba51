import { asJson } from '../base/as-json.ts';
import { counted } from '../base/counted.ts';
import type { Case } from './types.ts';

/** Formats of `list`. `ids`: one id per line, usable as a list of tests. */
export const LIST_FORMATS = ['text', 'ids', 'json'] as const;

export type ListFormat = (typeof LIST_FORMATS)[number];

/** The cases as text or JSON; ends with a newline unless empty. */
export function listCases(cases: readonly Case[], format: ListFormat = 'text'): string {
  if (format === 'json') return asJson(cases.map(listed));
  if (format === 'ids') return cases.map((c) => `${c.id}\n`).join('');
  const lines: string[] = [];
  for (const suite of new Set(cases.map((c) => c.suite))) {
    const own = cases.filter((c) => c.suite === suite);
    lines.push(`${suite} (${own.length})`);
    for (const name of new Set(own.map((c) => c.name))) lines.push(...family(own.filter((c) => c.name === name)));
  }
  lines.push('', counted(cases.length, 'case'));
  return `${lines.join('\n')}\n`;
}

/** All combinations of a case differ only in parameters: one line for what they share, and one for each id. */
function family(cases: readonly Case[]): string[] {
  const first = cases[0]!;
  const facts = [first.level, first.covers.join(' '), ...first.tags.map((tag) => `#${tag}`)];
  if (first.isolation === 'process') facts.push('own process');
  if (first.isolation === 'quarantine') facts.push('quarantine');
  if (first.client === 'none') facts.push('no client');
  if (first.programs === 'shared') facts.push('shared programs');
  const head = `  ${first.name}  [${facts.join(', ')}]  ${first.title}`;
  const bare = cases.length === 1 && Object.keys(first.params).length === 0;
  return bare ? [head] : [head, ...cases.map((c) => `    ${c.id}`)];
}

/** A case, with the number of its steps. */
export type ListedCase = Omit<Case, 'steps'> & { steps: number };

/** A case without its steps. */
export const listed = ({ steps, ...rest }: Case): ListedCase => ({ ...rest, steps: steps.length });
