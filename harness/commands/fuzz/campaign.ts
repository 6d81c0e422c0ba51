/** A fuzzing campaign: programs in batches, what was found, and a state from which it is resumed. */

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { asJson } from '../../base/as-json.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { makeDirectory } from '../../base/make-directory.ts';
import { scratchDirectory } from '../../base/scratch.ts';
import { UsageError } from '../../base/usage-error.ts';
import { type DeviceOptions, withDevices } from '../../host/devices/with-devices.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { writeFileAtomically } from '../../report/write-file.ts';
import { type ChosenShard, chosenShard, isAuto } from '../../run/fleet/chosen-shard.ts';
import { parseShard, shardDirectory, shardText } from '../../run/fleet/shard.ts';
import { resolveBoth } from '../../run/plugin/plugin-and-oracle.ts';
import { numericsOf } from '../../run/plugin/plugin-setup.ts';
import type { TimeoutOptions } from '../../run/plugin/timeouts.ts';
import { analyseProgram } from './analyse.ts';
import { type Execution, execute, type Outcome } from './execute.ts';
import { writeFinding } from './finding.ts';
import { generateProgram } from './generate.ts';
import { opsOf, type Program } from './ir.ts';
import { judge, type Verdict } from './judge.ts';
import type { Known, Profile } from './rule.ts';
import { shrink } from './shrink.ts';

/** Options of `fuzz`. */
export interface FuzzOptions extends TimeoutOptions, DeviceOptions {
  plugin: string;
  oracle: string;
  option?: string[];
  seed: number;
  /** Programs of all shards together. */
  count?: number;
  /** Milliseconds. */
  budget?: number;
  /** Findings after which the campaign ends. */
  maxFindings?: number;
  shard?: string;
  output: string;
  resume?: boolean;
  workers?: number;
  numerics?: Profile;
  fetch: boolean;
  allowBuild?: boolean;
}

/** Programs that fail in one way. */
export interface Finding {
  /** `SEED-NUMBER` of the first program. */
  id: string;
  what: 'difference' | 'bound' | 'failure';
  signature: string;
  message: string;
  /** Operations of the shrunken program. */
  ops: string[];
  dtypes: string[];
  suite: string;
  /** How many programs, and the numbers of the first ones. */
  count: number;
  programs: number[];
}

/** What a campaign knows: everything that is needed to resume, and to report. */
export interface State {
  version: 1;
  seed: number;
  shard: string;
  /** The id of the scheduler's job: a task that it runs again resumes its campaign. */
  job?: string;
  profile: Profile;
  plugin: { name: string; sha256: string };
  oracle: { name: string; sha256: string };
  /** The number of the next program. */
  next: number;
  /** Programs that ran on both plugins, and those that one of them does not take. */
  agreed: number;
  refused: Record<string, number>;
  findings: Finding[];
  elapsedMs: number;
}

/** How a campaign ended. */
export interface Campaign {
  state: State;
  ending: 'complete' | 'interrupted' | 'unusable';
  /** Why a plugin could not be used. */
  reason?: string;
  report: string;
}

/** Programs that are generated and run together: plugins are started again for each batch. */
const BATCH = 200;
/** The fewest of them, and the milliseconds of the budget for each. */
const LEAST = 10;
const A_PROGRAM = 100;
/** Shrunken programs of a kind, after which further ones are only counted. */
const ALIKE = 2;
/** Programs whose numbers are kept with a finding. */
const NAMED = 20;

/** Runs a campaign, or resumes one. @throws UsageError, PluginError */
export async function fuzz(
  options: FuzzOptions,
  environment: CommandEnvironment,
  progress: (state: State) => void,
): Promise<Campaign> {
  const [plugin, oracle] = await resolveBoth(options, environment);
  const shard = chosenShard(options.shard ?? '1/1', environment.env);
  const shared = resolve(environment.cwd, options.output);
  const directory = isAuto(options.shard) ? join(shared, shardDirectory(shard)) : shared;
  const state = stateOf(options, shard, plugin, oracle, directory);
  const scratch = scratchDirectory('fuzz');
  try {
    const how = { workers: options.workers ?? 1, environment, scratch, timeouts: options };
    const runner = new Runner({ options, state, plugin, oracle, directory, how, progress });
    return await withDevices([plugin, oracle], options, environment, () => runner.run());
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const stateFile = (directory: string): string => join(directory, 'state.json');

function stateOf(
  options: FuzzOptions,
  shard: ChosenShard,
  plugin: ResolvedPlugin,
  oracle: ResolvedPlugin,
  directory: string,
): State {
  const { profile } = numericsOf(options, [plugin, oracle]);
  const fresh: State = {
    version: 1,
    seed: options.seed,
    shard: shardText(shard),
    job: shard.job,
    profile,
    plugin: { name: plugin.name, sha256: plugin.sha256 },
    oracle: { name: oracle.name, sha256: oracle.sha256 },
    next: 0,
    agreed: 0,
    refused: {},
    findings: [],
    elapsedMs: 0,
  };
  const file = stateFile(directory);
  if (!existsSync(file)) {
    if (options.resume) throw new UsageError(`--resume: there is no ${file}`, { options: ['resume'] });
    return fresh;
  }
  const state = JSON.parse(readFileSync(file, 'utf8')) as State;
  const isOwn = shard.job !== undefined && state.job === shard.job;
  if (!options.resume && !isOwn) {
    throw new UsageError(`${file} is the state of a campaign\n--resume resumes it; --output names another directory`, {
      options: ['output'],
    });
  }
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const [then, now] = [setting(state), setting(fresh)];
    if (then !== now) throw new UsageError(`--resume: the campaign has ${name} ${then}, now ${now}`);
  }
  return state;
}

/** What must be the same when a campaign is resumed. */
const SETTINGS: Readonly<Record<string, (state: State) => string | number>> = {
  version: ({ version }) => version,
  seed: ({ seed }) => seed,
  shard: ({ shard }) => shard,
  numerics: ({ profile }) => profile,
  plugin: ({ plugin }) => `${plugin.name} ${plugin.sha256}`,
  oracle: ({ oracle }) => `${oracle.name} ${oracle.sha256}`,
};

/** What a campaign goes by. */
interface Course {
  options: FuzzOptions;
  state: State;
  plugin: ResolvedPlugin;
  oracle: ResolvedPlugin;
  directory: string;
  how: Execution;
  progress: (state: State) => void;
}

class Runner {
  readonly #course: Course;
  readonly #state: State;
  /** Aborted when the budget is used up. */
  readonly #late = new AbortController();

  constructor(course: Course) {
    this.#course = course;
    this.#state = course.state;
  }

  get #aborted(): boolean {
    return this.#course.how.environment.signal.aborted;
  }

  /** Whether nothing is begun any more: the user has interrupted, or the time is up. */
  get #ending(): boolean {
    return this.#aborted || this.#late.signal.aborted;
  }

  get #enough(): boolean {
    return this.#state.findings.length >= (this.#course.options.maxFindings ?? Infinity);
  }

  async run(): Promise<Campaign> {
    const { budget } = this.#course.options;
    const began = performance.now() - this.#state.elapsedMs;
    // A batch that is under way when the time is up ends there; what it has seen until then counts.
    if (budget !== undefined) {
      const timer = setTimeout(() => this.#late.abort(), Math.max(0, began + budget - performance.now()));
      this.#late.signal.addEventListener('abort', () => clearTimeout(timer));
    }
    let reason: string | undefined;
    for (;;) {
      const numbers = this.#nextNumbers();
      if (numbers.length === 0 || this.#ending || this.#enough) break;
      const { next, why } = await this.#batch(numbers);
      reason = why;
      if (reason !== undefined) break;
      this.#state.next = next;
      this.#state.elapsedMs = Math.round(performance.now() - began);
      this.#save();
      this.#course.progress(this.#state);
    }
    this.#late.abort();
    this.#save();
    const ending = this.#aborted ? 'interrupted' : reason === undefined ? 'complete' : 'unusable';
    return { state: this.#state, ending, reason, report: stateFile(this.#course.directory) };
  }

  /** The numbers of the next programs of this shard. */
  #nextNumbers(): number[] {
    const { index, count } = parseShard(this.#state.shard);
    const numbers: number[] = [];
    const { budget = Infinity, count: all = Infinity } = this.#course.options;
    const size = Math.min(BATCH, Math.max(LEAST, Math.ceil(budget / A_PROGRAM)));
    for (let n = this.#state.next; n < all && numbers.length < size; n++) {
      if (n % count === index - 1) numbers.push(n);
    }
    return numbers;
  }

  #save(): void {
    makeDirectory(this.#course.directory);
    writeFileAtomically(stateFile(this.#course.directory), (write) => write(asJson(this.#state)));
  }

  /** Runs programs on both plugins at the same time, until the campaign ends. */
  async #both(programs: readonly Program[]): Promise<[oracle: Outcome[], subject: Outcome[]]> {
    const { how } = this.#course;
    const signal = AbortSignal.any([how.environment.signal, this.#late.signal]);
    const on = (plugin: ResolvedPlugin, name: string): Promise<Outcome[]> =>
      execute(plugin, programs, {
        ...how,
        environment: { ...how.environment, signal },
        scratch: join(how.scratch, name),
      });
    return await Promise.all([on(this.#course.oracle, 'oracle'), on(this.#course.plugin, 'plugin')]);
  }

  /** The same, until there is an outcome for each: after many crashes the rest of a batch is not run, and begins again. */
  async #outcomes(programs: readonly Program[]): Promise<Outcome[][]> {
    const outcomes = await this.#both(programs);
    for (let before = programs.length; !this.#ending; ) {
      const missing = [...programs.keys()].filter((i) => outcomes.some((one) => one[i]!.kind === 'none'));
      if (missing.length === 0 || missing.length >= before) break;
      before = missing.length;
      const again = await this.#both(missing.map((i) => programs[i]!));
      for (const [side, some] of again.entries()) {
        for (const [k, i] of missing.entries()) if (some[k]!.kind !== 'none') outcomes[side]![i] = some[k]!;
      }
    }
    return outcomes;
  }

  /** @returns the number of the next program, or why a plugin cannot be used */
  async #batch(numbers: readonly number[]): Promise<{ next: number; why?: string }> {
    const { seed, profile, refused } = this.#state;
    const { plugin, oracle } = this.#course;
    const programs = numbers.map((n) => generateProgram(seed, n, profile));
    const outcomes = await this.#outcomes(programs);
    const [judges, subjects] = outcomes as [Outcome[], Outcome[]];
    const unusable = outcomes.find((some) => some.every(({ kind }) => kind === 'none'));
    if (unusable?.[0]?.kind === 'none' && !this.#ending) {
      return { next: numbers[0]!, why: `${(unusable === judges ? oracle : plugin).name}: ${unusable[0].reason}` };
    }
    for (const [i, program] of programs.entries()) {
      const [number, expected, actual] = [numbers[i]!, judges[i]!, subjects[i]!];
      // What a campaign that ends has not run is the next when it is resumed.
      if (this.#ending && (expected.kind === 'none' || actual.kind === 'none')) return { next: number };
      const verdict = judge(program, analyseProgram(program, profile), expected, actual);
      if (verdict.kind === 'finding') await this.#found(number, program, verdict, expected);
      if (this.#aborted && verdict.kind === 'finding') return { next: number };
      if (verdict.kind === 'agree') this.#state.agreed++;
      if (verdict.kind === 'refused') {
        const reason = `${verdict.by}: ${verdict.reason}`;
        refused[reason] = (refused[reason] ?? 0) + 1;
      }
      if (this.#enough) return { next: number + 1 };
    }
    return { next: numbers.at(-1)! + 1 };
  }

  /** Counts a program to a finding, or makes one of it. */
  async #found(
    number: number,
    program: Program,
    verdict: Verdict & { kind: 'finding' },
    expected: Outcome,
  ): Promise<void> {
    const { findings } = this.#state;
    if (findings.some((finding) => finding.programs.includes(number))) return;
    const same = findings.find((finding) => isAlike(finding, program, verdict));
    if (same) return count(same, number);
    const small = await shrink(program, this.#state.profile, (programs) => this.#fails(programs, verdict));
    if (this.#aborted) return;
    // Where the time is up, the program stays as it was found.
    const finding = this.#ending
      ? this.#write(number, program, verdict, expected)
      : await this.#writeSmall(number, small, verdict);
    const twin = findings.find(({ what, signature }) => what === finding.what && signature === finding.signature);
    if (twin) {
      count(twin, number);
      rmSync(dirname(finding.suite), { recursive: true, force: true });
    } else findings.push(finding);
    this.#save();
    this.#course.progress(this.#state);
  }

  /** Whether programs fail as the verdict says. */
  async #fails(programs: readonly Program[], like: Verdict & { kind: 'finding' }): Promise<boolean[]> {
    if (this.#ending) return programs.map(() => false);
    const [oracle, subject] = await this.#both(programs);
    return programs.map((program, i) => {
      const verdict = judge(program, analyseProgram(program, this.#state.profile), oracle[i]!, subject[i]!);
      return verdict.kind === 'finding' && verdict.what === like.what && verdict.signature === like.signature;
    });
  }

  /** The files of a finding. A second run says what its message is now that it is small. */
  async #writeSmall(number: number, program: Program, verdict: Verdict & { kind: 'finding' }): Promise<Finding> {
    const [[oracle], [subject]] = await this.#both([program]);
    const again = judge(program, analyseProgram(program, this.#state.profile), oracle!, subject!);
    const message = again.kind === 'finding' ? again.message : verdict.message;
    return this.#write(number, program, { ...verdict, message }, oracle!);
  }

  #write(number: number, program: Program, verdict: Verdict & { kind: 'finding' }, oracle: Outcome): Finding {
    const { seed, profile } = this.#state;
    const id = `${seed}-${number}`;
    const known = analyseProgram(program, profile);
    const { message } = verdict;
    const expected = verdict.what !== 'failure' && oracle.kind === 'results' ? oracle.arrays : undefined;
    const suite = writeFinding(this.#course.directory, {
      id,
      message,
      oracle: this.#course.oracle.name,
      program,
      known,
      expected,
    });
    const ops = opsOf(program).filter((op) => op !== 'constant');
    const dtypes = dtypesOf(known);
    const kind = `${verdict.what} · ${ops.join(' ')} · ${dtypes.join(' ')}`;
    return {
      id,
      what: verdict.what,
      signature: verdict.what === 'failure' ? verdict.signature : kind,
      message,
      ops,
      dtypes,
      suite,
      count: 1,
      programs: [number],
    };
  }
}

const dtypesOf = (known: readonly Known[]): string[] => [...new Set(known.map(({ type }) => type.dtype))].sort();

/**
 * Whether a program is taken for another case of a finding without being shrunk: a failure with the same signature, or a
 * difference in a program with all that one consists of that was found several times.
 */
function isAlike({ what, signature, ops, count: times }: Finding, program: Program, verdict: Verdict): boolean {
  if (verdict.kind !== 'finding' || verdict.what !== what) return false;
  if (what === 'failure') return signature === verdict.signature;
  const has = new Set(opsOf(program));
  return times >= ALIKE && ops.every((op) => has.has(op));
}

function count(finding: Finding, number: number): void {
  finding.count++;
  if (finding.programs.length < NAMED) finding.programs.push(number);
}

/** Programs of a campaign that were judged. */
export const judged = ({ agreed, findings }: State): number => agreed + findings.reduce((n, f) => n + f.count, 0);
