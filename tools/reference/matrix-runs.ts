import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Configuration of the plugin in a run: its API version, and the delay of its devices before each operation. */
export interface Configuration {
  minor: string;
  delay: string;
}

/** One run of the suites. Passed cases, almost all, are only counted. */
export interface MatrixRun extends Configuration {
  /** 1 for the first one of its configuration. */
  run: number;
  cases: number;
  /** Results other than `pass`, by case id; with the failure, if any. */
  others: Record<string, string>;
}

/** Alternates the configurations, so that a matrix that was stopped early has run all of them about equally often. */
export function* inTurn(
  configurations: readonly Configuration[],
  repeat: number,
): Generator<Configuration & { run: number }> {
  for (let run = 1; run <= repeat; run++) for (const one of configurations) yield { ...one, run };
}

/** Cases that did not pass, without those unsupported for a feature that the plugin of this version lacks. */
export const notPassed = ({ others }: MatrixRun): [id: string, verdict: string][] =>
  Object.entries(others).filter(([, verdict]) => verdict !== 'unsupported');

/** Differences between the results of two runs of the same API version. */
export function changes(before: MatrixRun, after: MatrixRun): string[] {
  const ids = new Set([...Object.keys(before.others), ...Object.keys(after.others)]);
  const changed = [...ids].flatMap((id) => {
    const [was, is] = [before.others[id] ?? 'pass', after.others[id] ?? 'pass'];
    return was === is ? [] : [`${id}  was ${was}, is ${is}`];
  });
  return before.cases === after.cases ? changed : [...changed, `${before.cases} cases before, ${after.cases} now`];
}

/** An append-only file of runs, which need not be repeated. */
export class MatrixStore {
  readonly #file: string;
  readonly #runs: MatrixRun[] = [];

  constructor(file: string) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      try {
        if (line !== '') this.#runs.push(JSON.parse(line) as MatrixRun);
      } catch {
        // The incomplete line of a killed process.
      }
    }
  }

  find = ({ minor, delay, run }: Configuration & { run: number }): MatrixRun | undefined =>
    this.#runs.find((r) => r.minor === minor && r.delay === delay && r.run === run);

  add(run: MatrixRun): void {
    this.#runs.push(run);
    appendFileSync(this.#file, `${JSON.stringify(run)}\n`);
  }
}
