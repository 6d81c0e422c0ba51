import type { CaseResult } from '../../model/case-result.ts';
import type { Run } from '../../model/run.ts';
import type { Weighing } from '../../verdict/breach.ts';
import { failsRun } from '../../verdict/standing.ts';

/** What is known of the cases after one run or several, of which some had not all of them. */
export class Memory {
  /** Cases that failed when they last ran. */
  readonly failed = new Set<string>();
  /** By case, the functions that it called when it last ran, and those in which it failed. */
  readonly #called = new Map<string, ReadonlySet<string>>();
  readonly #blamed = new Map<string, ReadonlySet<string>>();

  learn(run: Run, weighing: Weighing): void {
    for (const { plan, result } of run.cases.values()) {
      if (!result || result.status === 'skip') continue;
      this.#called.set(plan.id, new Set(Object.keys(result.callMs ?? {})));
      if (failsRun({ plan, result }, weighing)) {
        this.failed.add(plan.id);
        this.#blamed.set(plan.id, new Set(callsOf(result)));
      } else this.failed.delete(plan.id);
    }
  }

  /** Cases that call a function in which another case failed. */
  related(): Set<string> {
    const blamed = new Set([...this.failed].flatMap((id) => [...(this.#blamed.get(id) ?? [])]));
    const related = [...this.#called].filter(([id, calls]) => !this.failed.has(id) && intersects(calls, blamed));
    return new Set(related.map(([id]) => id));
  }
}

const callsOf = ({ findings, inFlight }: CaseResult): string[] => [
  ...findings.flatMap(({ call, calls = [] }) => [...(call === undefined ? [] : [call]), ...calls]),
  ...(inFlight === undefined ? [] : [inFlight]),
];

const intersects = <T>(some: ReadonlySet<T>, others: ReadonlySet<T>): boolean => {
  for (const one of some) if (others.has(one)) return true;
  return false;
};
