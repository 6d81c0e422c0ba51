import { cleanLine } from '../../base/sanitize.ts';
import { IN_COMMON, listed, machineOf, missingOf } from '../compare/cautions.ts';
import type { NamedRun } from '../compare/side.ts';

/** What makes the runs of a trend hard to compare, one line each. */
export function differencesOf(named: readonly NamedRun[]): string[] {
  return [
    ...IN_COMMON.flatMap(([what, of, hint]) =>
      unlike(
        what,
        named.map(({ run }) => of(run.header!, run)),
        hint,
      ),
    ),
    ...unlike(
      'machines',
      named.map(({ run }) => machineOf(run.header!)),
      '; times and memory are compared with the newest run only where they are of its kind',
    ),
    ...suites(named),
    ...named.flatMap(({ run }, at) => [...missingOf(`run ${at + 1}`, run)]),
  ].map(cleanLine);
}

/** `the tools differ: 0.1.0 in runs 1 to 6, 0.2.0 in run 7`, unless all are the same. */
function unlike(what: string, values: readonly string[], hint: string): string[] {
  const different = [...new Set(values)];
  if (different.length < 2) return [];
  const all = different.map((value) => `${value} in ${runsText(indicesOf(values, value))}`);
  return [`the ${what} differ: ${all.join(', ')}${hint}`];
}

const indicesOf = (values: readonly string[], value: string): number[] =>
  values.flatMap((other, at) => (other === value ? [at] : []));

/** Runs by their numbers: `run 3`, `runs 1 to 6, 9`. */
function runsText(indices: readonly number[]): string {
  const spans: [first: number, last: number][] = [];
  for (const at of indices) {
    const span = spans.at(-1);
    if (span && span[1] === at - 1) span[1] = at;
    else spans.push([at, at]);
  }
  const texts = spans.map(([first, last]) => (first === last ? `${first + 1}` : `${first + 1} to ${last + 1}`));
  return `${indices.length === 1 ? 'run' : 'runs'} ${texts.join(', ')}`;
}

/** Suites whose files are not the same in all runs that have them. */
function suites(named: readonly NamedRun[]): string[] {
  const files = new Map<string, Set<string>>();
  for (const { suite, sha256 } of named.flatMap(({ run }) => run.suites))
    files.set(suite, (files.get(suite) ?? new Set()).add(sha256));
  const changed = [...files].flatMap(([suite, versions]) => (versions.size > 1 ? [suite] : []));
  if (changed.length === 0) return [];
  return [`the files of ${listed(changed, 'suite')} changed: their checks may have changed`];
}
