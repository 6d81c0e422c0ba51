import { tallied } from '../../base/grouping.ts';
import type { PluginFacts } from '../../model/plugin-facts.ts';
import { type CaseRun, type Run, statusOf } from '../../model/run.ts';
import type { Status } from '../../model/status.ts';
import { bothFacts } from '../merge.ts';

/** A run and its name in messages. */
export interface NamedRun {
  name: string;
  run: Run;
}

/** Statuses from best to worst; of several repeats, the worst counts. */
const WORSE: Readonly<Record<Status, number>> = {
  pass: 0,
  warn: 1,
  unsupported: 2,
  skip: 3,
  notrun: 4,
  error: 5,
  flaky: 6,
  fail: 7,
  timeout: 8,
  crash: 9,
};

/** The result of a case on one side. */
export interface SideCase {
  /** The worst of its runs. */
  worst: CaseRun;
  status: Status;
  /** Every run's result of it, with the run. */
  all: { item: CaseRun; run: number }[];
}

/** One side of a comparison: one run, or repeats. */
export class Side {
  readonly runs: readonly NamedRun[];
  readonly cases: ReadonlyMap<string, SideCase>;

  constructor(runs: readonly NamedRun[]) {
    this.runs = runs;
    const cases = new Map<string, SideCase>();
    runs.forEach(({ run }, index) => {
      for (const [id, item] of run.cases) {
        const known = cases.get(id);
        if (!known) cases.set(id, { worst: item, status: statusOf(item), all: [{ item, run: index }] });
        else {
          known.all.push({ item, run: index });
          if (WORSE[statusOf(item)] > WORSE[known.status]) {
            known.worst = item;
            known.status = statusOf(item);
          }
        }
      }
    });
    this.cases = cases;
  }

  get first(): Run {
    return this.runs[0]!.run;
  }

  /** Combined facts of all repeats about the plugin at an index. */
  plugin(index: number): PluginFacts | undefined {
    const all = this.runs.map(({ run }) => run.plugins[index]).filter((facts) => facts !== undefined);
    const [first, ...others] = all;
    return others.reduce<PluginFacts | undefined>((known, facts) => known && bothFacts(known, facts), first);
  }
}

/** How a case ended: `pass in 2 of 3 runs`, or nothing if all runs agree. */
export function unsteadyText({ all }: SideCase): string | undefined {
  const counts = tallied(all.map(({ item }) => statusOf(item)));
  if (counts.size < 2) return undefined;
  return [...counts].map(([status, count]) => `${status} in ${count} of ${all.length} runs`).join(', ');
}
