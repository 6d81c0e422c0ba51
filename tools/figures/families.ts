import type { Case, Step } from '../../harness/suite/types.ts';

/** The probes that each family of cases uses: a family is what one entry of a suite's `cases` expands to. */
export function familiesOf(cases: readonly Case[]): Map<string, Set<string>> {
  const families = new Map<string, Set<string>>();
  for (const { id, steps } of cases) {
    const family = id.replace(/\[.*$/, '');
    const probes = families.get(family) ?? new Set();
    for (const step of allSteps(steps)) if (step.verb === 'probe') probes.add(step.name);
    families.set(family, probes);
  }
  return families;
}

/** Names of the probes that only one family uses. */
export function probesUsedOnce(families: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const uses = [...families.values()].flatMap((probes) => [...probes]);
  return uses.filter((name) => uses.indexOf(name) === uses.lastIndexOf(name));
}

const allSteps = (steps: readonly Step[]): Step[] =>
  steps.flatMap((step) => [step, ...('steps' in step ? allSteps(step.steps ?? []) : [])]);
