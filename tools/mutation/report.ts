import { type Fault } from './catalogue.ts';
import type { Outcome } from './judge.ts';
import type { FaultRecord } from './results.ts';
import type { Base } from './runs.ts';

/** The result of a run over the catalogue, as it is written to JSON. */
export interface MutationReport {
  base: { name: string; sha256: string };
  counts: Record<Outcome, number>;
  /** Detected, of those that could be put into the base and are not listed as beyond any check. */
  score: number;
  faults: {
    name: string;
    area: string;
    outcome: Outcome;
    caughtBy?: string;
    finding?: string;
    trouble?: string;
    survives?: string;
    failing: string[];
    seconds: number;
  }[];
}

export function reportOf(
  base: Base,
  catalogue: readonly Fault[],
  records: ReadonlyMap<string, FaultRecord>,
): MutationReport {
  const counts: Record<Outcome, number> = { detected: 0, 'wrong-case': 0, missed: 0, disturbed: 0, absent: 0 };
  const faults = catalogue.flatMap((fault) => {
    const record = records.get(fault.name);
    if (!record) return [];
    counts[record.outcome] += 1;
    const { outcome, caughtBy, finding, trouble, failing, seconds } = record;
    return [
      {
        ...{ name: fault.name, area: fault.area, outcome },
        ...(caughtBy === undefined ? {} : { caughtBy }),
        ...(finding === undefined ? {} : { finding }),
        ...(trouble === undefined ? {} : { trouble }),
        ...(fault.survives === undefined ? {} : { survives: fault.survives }),
        ...{ failing, seconds },
      },
    ];
  });
  const possible = faults.length - counts.absent;
  return {
    base: { name: base.name, sha256: base.sha256 },
    counts,
    score: possible === 0 ? 0 : counts.detected / possible,
    faults,
  };
}

/** The result as a table for the console. */
export function tableOf({ counts, score, faults }: MutationReport): string {
  const open = faults.filter(({ outcome }) => outcome !== 'detected');
  const width = Math.max(0, ...open.map(({ name }) => name.length));
  const rows = open.map(
    ({ name, outcome, caughtBy, trouble, survives }) =>
      `${outcome.padEnd(10)} ${name.padEnd(width)} ${trouble ?? caughtBy ?? (survives ? `(known: ${survives})` : '')}`,
  );
  const tally = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  return [...rows, `${tally.join(', ')}; score ${(score * 100).toFixed(1)} %`].join('\n');
}
