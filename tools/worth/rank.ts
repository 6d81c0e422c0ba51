import { groupedBy } from '../../harness/base/grouping.ts';
import { COSTS } from '../../harness/suite/by-worth.ts';
import { compilationsOf } from '../../harness/suite/compilations.ts';
import { standardCases } from '../../harness/suite/standard.ts';
import type { Case } from '../../harness/suite/types.ts';
import { templateOf } from '../mutation/report.ts';

interface Family {
  name: string;
  /** Faults that one of its cases detects. */
  faults: readonly string[];
  /** Of those of its cases that show most of what it can, without the programs that others compile too. */
  seconds: number;
  programs: readonly string[];
}

/**
 * Families of cases, those first that detect the most faults of the catalogue per second which none before them does; then those
 * whose faults others detect too, and those that detect none.
 * @param failing by fault, the families that detect it
 */
export function rankFamilies(cases: readonly Case[], failing: Readonly<Record<string, readonly string[]>>): string[] {
  const left = new Set(familiesOf(cases, failing));
  const detected = new Set<string>();
  const compiled = new Set<string>();
  const isNew = (fault: string): boolean => !detected.has(fault);
  const worth = ({ faults, seconds, programs }: Family): number => {
    const compilations = programs.filter((program) => !compiled.has(program)).length;
    return (faults.filter(isNew).length + faults.length / 1000) / (seconds + compilations * COSTS.compilation);
  };
  const ranked: string[] = [];
  while (left.size > 0) {
    let best: { one: Family; value: number } | undefined;
    for (const one of left) {
      const value = worth(one);
      if (best === undefined || value > best.value) best = { one, value };
    }
    const { name, faults, programs } = best!.one;
    ranked.push(name);
    left.delete(best!.one);
    for (const fault of faults) detected.add(fault);
    for (const program of programs) compiled.add(program);
  }
  return ranked;
}

function familiesOf(cases: readonly Case[], failing: Readonly<Record<string, readonly string[]>>): Family[] {
  const faults = new Map<string, string[]>();
  for (const [fault, names] of Object.entries(failing))
    for (const name of names) faults.set(name, [...(faults.get(name) ?? []), fault]);
  const standard = standardCases(cases);
  return [...groupedBy(cases, ({ id }) => templateOf(id))].map(([name, all]) => {
    const some = all.filter(({ id }) => standard.has(id));
    const chosen = some.length > 0 ? some : all.slice(0, 1);
    const seconds = chosen.reduce(
      (sum, one) =>
        sum +
        COSTS.case +
        compilationsOf(one).own * COSTS.compilation +
        (one.isolation === 'process' ? COSTS.process : 0),
      0,
    );
    const programs = [...new Set(chosen.flatMap((one) => compilationsOf(one).shared))];
    return { name, faults: faults.get(name) ?? [], seconds, programs };
  });
}
