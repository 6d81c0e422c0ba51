import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What the plugin is made to be in a run: its API version, and what its devices sleep before each piece of work. */
export interface Configuration {
  minor: string;
  delay: string;
}

/** One run of the suites. Passed cases are counted only: they are almost all. */
export interface MatrixRun extends Configuration {
  /** 1 for the first one of its configuration. */
  run: number;
  cases: number;
  /** Verdicts other than `pass`, by case id; with what was wrong, where something was. */
  others: Record<string, string>;
}

/** The configurations in turn, so that a matrix that was stopped early has seen all of them about as often. */
export function* inTurn(
  configurations: readonly Configuration[],
  repeat: number,
): Generator<Configuration & { run: number }> {
  for (let run = 1; run <= repeat; run++) for (const one of configurations) yield { ...one, run };
}

/** Cases that did not pass, and are not left out for a feature that the plugin of this version lacks. */
export const notPassed = ({ others }: MatrixRun): [id: string, verdict: string][] =>
  Object.entries(others).filter(([, verdict]) => verdict !== 'unsupported');

/** How the verdicts of a run differ from those of another one of the same API version. */
export function changes(before: MatrixRun, after: MatrixRun): string[] {
  const ids = new Set([...Object.keys(before.others), ...Object.keys(after.others)]);
  const changed = [...ids].flatMap((id) => {
    const [was, is] = [before.others[id] ?? 'pass', after.others[id] ?? 'pass'];
    return was === is ? [] : [`${id}  was ${was}, is ${is}`];
  });
  return before.cases === after.cases ? changed : [...changed, `${before.cases} cases before, ${after.cases} now`];
}

/** Runs in a file that is only ever appended to; those in it need not be run again. */
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
        // The line that a killed process did not finish.
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
