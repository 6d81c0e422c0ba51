import type { Run } from '../../model/run.ts';
import { type Compilations, compilationsOf } from '../../suite/compilations.ts';
import type { Case } from '../../suite/types.ts';

/** Minimum number of measured compilations if more are to come: cases without compilations do not predict them. */
const FEW = 3;
/** Minimum share of finished cases if there are no more compilations. */
const ENOUGH = 0.1;

/** Data of a finished case. */
export interface Ended {
  id: string;
  durationMs: number;
  /** Time in functions that compile. */
  compileMs: number;
}

/** Data of a running case. */
interface Running {
  id: string;
  /** How long it has been running. */
  sinceMs: number;
}

/**
 * Remaining time of a run in milliseconds. From the finished cases it estimates: the median compilation, the remaining work
 * of a case, and the start of a process. The first dominates on a slow compiler, where cases differ by a factor of a
 * thousand.
 */
export class Estimate {
  readonly #cases: ReadonlyMap<string, Case>;
  readonly #compilations: ReadonlyMap<string, Compilations>;
  readonly #workers: number;

  constructor(cases: readonly Case[], workers: number) {
    this.#cases = new Map(cases.map((c) => [c.id, c]));
    this.#compilations = new Map(cases.map((c) => [c.id, compilationsOf(c)]));
    this.#workers = workers;
  }

  /** @returns undefined while there is too little data */
  remainingMs(ended: readonly Ended[], elapsedMs: number, running: readonly Running[] = []): number | undefined {
    const done = ended.filter(({ id }) => this.#cases.has(id));
    const perCompilation = done.flatMap(({ id, compileMs }) => {
      const { own, shared } = this.#compilations.get(id)!;
      return compileMs > 0 && own + shared.length > 0 ? [compileMs / (own + shared.length)] : [];
    });
    const finished = new Set(done.map(({ id }) => id));
    const left = [...this.#cases.values()].filter(({ id }) => !finished.has(id));
    const programs = new Set(done.flatMap(({ id }) => this.#compilations.get(id)!.shared));
    let compilations = 0;
    for (const { id } of left) {
      const { own, shared } = this.#compilations.get(id)!;
      compilations += own;
      for (const program of shared) {
        if (!programs.has(program)) compilations++;
        programs.add(program);
      }
    }
    const known = compilations > 0 ? perCompilation.length >= FEW : done.length >= ENOUGH * this.#cases.size;
    if (done.length === 0 || !known) return undefined;
    const total = (of: (e: Ended) => number): number => done.reduce((sum, e) => sum + of(e), 0);
    const rest = total(({ durationMs, compileMs }) => Math.max(0, durationMs - compileMs)) / done.length;
    // Besides running cases, workers start processes: one each, and one for each isolated case.
    const starts = this.#workers + done.filter(({ id }) => this.#ownProcess(id)).length;
    const inCases = total((e) => e.durationMs) + running.reduce((sum, { sinceMs }) => sum + sinceMs, 0);
    const start = Math.max(0, elapsedMs * this.#workers - inCases) / starts;
    const compilation = median(perCompilation);
    // Running cases are part of the rest, and partly done.
    const begun = running.reduce((sum, { id, sinceMs }) => {
      const { own, shared } = this.#compilations.get(id) ?? { own: 0, shared: [] };
      return sum + Math.min(sinceMs, (own + shared.length) * compilation + rest);
    }, 0);
    const work =
      compilations * compilation +
      left.length * rest +
      left.filter(({ id }) => this.#ownProcess(id)).length * start -
      begun;
    return Math.max(0, work) / this.#workers;
  }

  #ownProcess = (id: string): boolean => this.#cases.get(id)!.isolation === 'process';
}

/** Data of the finished cases of a run. */
export const endedCases = (run: Run): Ended[] =>
  [...run.cases.values()].flatMap(({ plan: { id }, result }) =>
    result
      ? [
          {
            id,
            durationMs: result.durationMs,
            compileMs: (result.callMs?.PJRT_Client_Compile ?? 0) + (result.callMs?.PJRT_Compile ?? 0),
          },
        ]
      : [],
  );

/** Data of the running cases of a run. */
export const runningCases = (run: Run, elapsedMs: number): Running[] =>
  [...run.running].flatMap(({ plan: { id }, startedAtMs }) =>
    startedAtMs === undefined ? [] : [{ id, sinceMs: Math.max(0, elapsedMs - startedAtMs) }],
  );

const median = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.toSorted((a, b) => a - b)[values.length >> 1]!;
