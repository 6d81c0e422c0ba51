/** Runs programs on the oracle and on the plugin, in the way of the command `programs`, and says which fail. */
import { copyFileSync, linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { AccuracyProfile } from '../../model/numeric-record.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { resultsOn } from '../../run/plugin/results-on.ts';
import type { TimeoutOptions } from '../../run/plugin/timeouts.ts';
import { answered, consult, type OracleAnswer } from '../../run/record/oracle.ts';
import { programsDirectory } from '../../suite/collections/programs-directory.ts';
import type { Case } from '../../suite/types.ts';
import { type Outcome as CaseOutcome, outcomeOf } from '../explore/outcome.ts';

/** A program with its data. */
export interface Candidate {
  /** By the ends of their names, as the command `programs` reads them: `.mlir`, `.arg0.npy`. */
  files: ReadonlyMap<string, string>;
  /** Contents of its settings (.yaml). */
  settings: string | undefined;
}

/** What became of a program. */
export type Outcome =
  | (CaseOutcome & { kind: 'failed'; outputs: readonly string[] })
  | { kind: 'right' }
  /** Nothing is known: the oracle or the plugin does not run it. */
  | { kind: 'unknown'; reason: string };

/** How programs are run. */
export interface Bench {
  plugin: ResolvedPlugin;
  oracle: ResolvedPlugin;
  numerics: AccuracyProfile;
  /** Changes the inputs that are generated for programs without any. */
  seed?: number | undefined;
  workers: number;
  timeouts: TimeoutOptions;
  environment: Pick<CommandEnvironment, 'cwd' | 'env' | 'signal'>;
  /** Where programs and results are kept; every batch has a directory of its own. */
  scratch: string;
}

/** Programs that run together at most: their results are kept until then. */
const AT_ONCE = 64;

/** Runs programs that were made from others. */
export class Judge {
  readonly #bench: Bench;
  #batches = 0;
  /** Programs that were run so far. */
  programs = 0;

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  /** A new directory. */
  directory(purpose: string): string {
    const path = join(this.#bench.scratch, `${purpose}-${++this.#batches}`);
    mkdirSync(path);
    return path;
  }

  /** What becomes of each. */
  async outcomes(candidates: readonly Candidate[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let i = 0; i < candidates.length; i += AT_ONCE)
      outcomes.push(...(await this.#judged(await this.#casesOf(candidates.slice(i, i + AT_ONCE)))));
    return outcomes;
  }

  /** Candidates as cases of the command `programs`, without expectations. */
  async #casesOf(candidates: readonly Candidate[]): Promise<Case[]> {
    const directory = this.directory('programs');
    const digits = String(candidates.length).length;
    for (const [i, candidate] of candidates.entries())
      writeProgram(directory, `c${String(i).padStart(digits, '0')}`, candidate, linked);
    const { oracle, seed, environment } = this.#bench;
    const suites = await programsDirectory(
      { directory, oracle: oracle.name, ...(seed !== undefined && { seed }) },
      environment.cwd,
    );
    return suites.flatMap(({ cases }) => cases);
  }

  /** The results of programs on the oracle: files of their arrays, or why there are none. */
  async expected(candidates: readonly Candidate[]): Promise<OracleAnswer[]> {
    return this.#expected(await this.#casesOf(candidates));
  }

  /** The results of cases on the oracle: files of their arrays, or why there are none. */
  async #expected(cases: readonly Case[]): Promise<OracleAnswer[]> {
    const { oracle, environment, timeouts, workers } = this.#bench;
    const options = { ...timeouts, binding: 'lazy', workers } as const;
    const answers = await consult({ oracle, cases, directory: this.directory('oracle'), options, environment });
    environment.signal.throwIfAborted();
    return cases.map(({ id }) => answers.get(id)!);
  }

  /** What becomes of cases that have no expectations of their own. */
  async #judged(cases: readonly Case[]): Promise<Outcome[]> {
    const { plugin, oracle, environment, timeouts, workers, numerics } = this.#bench;
    this.programs += cases.length;
    const answers = await this.#expected(cases);
    const outcomes = new Map<string, Outcome>();
    const run: Case[] = [];
    for (const [i, testCase] of cases.entries()) {
      const answer = answers[i]!;
      if ('outputs' in answer) run.push(answered(testCase, answer, oracle.name));
      else outcomes.set(testCase.id, { kind: 'unknown', reason: `${oracle.name}: ${answer.reason}` });
    }
    const how = { workers, binding: 'lazy', timeouts, environment, numerics } as const;
    const reason = await resultsOn(plugin, run, how, (id, result) => {
      const outcome = outcomeOf(result);
      if ('message' in outcome) outcome.message = withoutFile(outcome.message);
      const answer = answers[cases.findIndex((one) => one.id === id)];
      if (outcome.kind === 'failed' && outcome.level === 'must')
        outcomes.set(id, { ...outcome, outputs: answer && 'outputs' in answer ? answer.outputs : [] });
      else if (outcome.kind === 'right' || outcome.kind === 'failed') outcomes.set(id, { kind: 'right' });
      else outcomes.set(id, { kind: 'unknown', reason: `${plugin.name}: ${outcome.reason}` });
    });
    environment.signal.throwIfAborted();
    return cases.map(({ id }) => outcomes.get(id) ?? { kind: 'unknown', reason: `${plugin.name}: ${reason}` });
  }
}

/** A message without the file of the program, which is a temporary one. */
const withoutFile = (message: string): string =>
  message.replace(/, (?:the output|output \d+) of [^)]*\.mlir(?:bc)?(?=\))/g, '');

/** The files of a program, by the names that the command `programs` reads. */
export function writeProgram(
  directory: string,
  name: string,
  { files, settings }: Candidate,
  put: (from: string, to: string) => void = copyFileSync,
): void {
  for (const [end, file] of files) put(file, join(directory, `${name}${end}`));
  if (settings !== undefined) writeFileSync(join(directory, `${name}.yaml`), settings);
}

/** The same file under another name, or a copy where there are no links. */
function linked(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
