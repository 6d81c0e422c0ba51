import type { Case } from './types.ts';

/** How `list` prints. `ids`: one id a line, ready for a list of tests. */
export type ListFormat = 'text' | 'json' | 'ids';

/** The cases for a reader or for a program; ends with a newline unless there is nothing. */
export function listCases(cases: readonly Case[], format: ListFormat = 'text'): string {
  if (format === 'json') return `${JSON.stringify(cases.map(summary), null, 2)}\n`;
  if (format === 'ids') return cases.map((c) => `${c.id}\n`).join('');
  const lines: string[] = [];
  for (const suite of new Set(cases.map((c) => c.suite))) {
    const own = cases.filter((c) => c.suite === suite);
    lines.push(`${suite} (${own.length})`);
    for (const name of new Set(own.map((c) => c.name))) lines.push(...family(own.filter((c) => c.name === name)));
  }
  lines.push('', `${cases.length} ${cases.length === 1 ? 'case' : 'cases'}`);
  return `${lines.join('\n')}\n`;
}

/** All combinations of one case differ in parameters only: one line for what they share, one for each id. */
function family(cases: readonly Case[]): string[] {
  const first = cases[0]!;
  const facts = [first.level, first.covers.join(' '), ...first.tags.map((tag) => `#${tag}`)];
  if (first.isolation === 'process') facts.push('own process');
  if (first.client === 'none') facts.push('no client');
  if (first.programs === 'shared') facts.push('shared programs');
  const head = `  ${first.name}  [${facts.join(', ')}]  ${first.title}`;
  const bare = cases.length === 1 && Object.keys(first.params).length === 0;
  return bare ? [head] : [head, ...cases.map((c) => `    ${c.id}`)];
}

/** What a list needs; steps are left out. */
function summary({ steps, ...rest }: Case): Omit<Case, 'steps'> & { steps: number } {
  return { ...rest, steps: steps.length };
}
