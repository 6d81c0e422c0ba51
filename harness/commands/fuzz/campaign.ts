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
import { numericsOf, resolveAll } from '../../run/plugin/plugin-setup.ts';
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
  const [plugin, oracle] = await bothPlugins(options, environment);
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

/** Finds both plugins, and says what is wrong with either. @throws UsageError, PluginError */
async function bothPlugins(
  { plugin, oracle, option, fetch, allowBuild }: FuzzOptions,
  environment: CommandEnvironment,
): Promise<[plugin: ResolvedPlugin, oracle: ResolvedPlugin]> {
  const [subject, judge] = await Promise.allSettled([
    resolveAll({ plugin: [plugin], option, fetch, allowBuild }, environment),
    resolveAll({ plugin: [oracle], fetch, allowBuild }, environment),
  ]);
  if (subject.status === 'fulfilled' && judge.status === 'fulfilled') return [subject.value[0]!, judge.value[0]!];
  const [error, other] = [subject, judge].flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (error instanceof Error && other instanceof Error) error.message += `\n${other.message}`;
  throw error;
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

  constructor(course: Course) {
    this.#course = course;
    this.#state = course.state;
  }

  get #aborted(): boolean {
    return this.#course.how.environment.signal.aborted;
  }

  get #enough(): boolean {
    return this.#state.findings.length >= (this.#course.options.maxFindings ?? Infinity);
  }

  async run(): Promise<Campaign> {
    const began = performance.now() - this.#state.elapsedMs;
    let reason: string | undefined;
    for (;;) {
      const numbers = this.#nextNumbers();
      const late =
        this.#course.options.budget !== undefined && performance.now() - began >= this.#course.options.budget;
      if (numbers.length === 0 || late || this.#aborted || this.#enough) break;
      reason = await this.#batch(numbers);
      // What an interrupted batch has not seen is run again.
      if (reason !== undefined || this.#aborted) break;
      this.#state.next = numbers.at(-1)! + 1;
      this.#state.elapsedMs = Math.round(performance.now() - began);
      this.#save();
      this.#course.progress(this.#state);
    }
    this.#save();
    const ending = this.#aborted ? 'interrupted' : reason === undefined ? 'complete' : 'unusable';
    return { state: this.#state, ending, reason, report: stateFile(this.#course.directory) };
  }

  /** The numbers of the next programs of this shard. */
  #nextNumbers(): number[] {
    const { index, count } = parseShard(this.#state.shard);
    const numbers: number[] = [];
    for (let n = this.#state.next; n < (this.#course.options.count ?? Infinity) && numbers.length < BATCH; n++) {
      if (n % count === index - 1) numbers.push(n);
    }
    return numbers;
  }

  #save(): void {
    makeDirectory(this.#course.directory);
    writeFileAtomically(stateFile(this.#course.directory), (write) => write(asJson(this.#state)));
  }

  /** Runs programs on both plugins at the same time. */
  async #both(programs: readonly Program[]): Promise<[oracle: Outcome[], subject: Outcome[]]> {
    const { scratch } = this.#course.how;
    return await Promise.all([
      execute(this.#course.oracle, programs, { ...this.#course.how, scratch: join(scratch, 'oracle') }),
      execute(this.#course.plugin, programs, { ...this.#course.how, scratch: join(scratch, 'plugin') }),
    ]);
  }

  /** @returns why a plugin cannot be used, if it cannot */
  async #batch(numbers: readonly number[]): Promise<string | undefined> {
    const { seed, profile, refused } = this.#state;
    const programs = numbers.map((n) => generateProgram(seed, n, profile));
    const [oracle, subject] = await this.#both(programs);
    if (this.#aborted) return undefined;
    const unusable = [oracle, subject].find((outcomes) => outcomes.every(({ kind }) => kind === 'none'));
    if (unusable?.[0]?.kind === 'none') {
      return `${unusable === oracle ? this.#course.oracle.name : this.#course.plugin.name}: ${unusable[0].reason}`;
    }
    const counted = { agreed: 0, refused: [] as string[] };
    for (const [i, program] of programs.entries()) {
      const known = analyseProgram(program, profile);
      const verdict = judge(program, known, oracle[i]!, subject[i]!);
      if (verdict.kind === 'agree') counted.agreed++;
      else if (verdict.kind === 'refused') counted.refused.push(`${verdict.by}: ${verdict.reason}`);
      else await this.#found(numbers[i]!, program, verdict);
      if (this.#aborted) return undefined;
      if (this.#enough) break;
    }
    this.#state.agreed += counted.agreed;
    for (const reason of counted.refused) refused[reason] = (refused[reason] ?? 0) + 1;
    return undefined;
  }

  /** Counts a program to a finding, or makes one of it. */
  async #found(number: number, program: Program, verdict: Verdict & { kind: 'finding' }): Promise<void> {
    const { findings } = this.#state;
    if (findings.some((finding) => finding.programs.includes(number))) return;
    const same = findings.find((finding) => isAlike(finding, program, verdict));
    if (same) return count(same, number);
    const small = await shrink(program, this.#state.profile, (programs) => this.#fails(programs, verdict));
    if (this.#aborted) return;
    const finding = await this.#write(number, small, verdict);
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
    const [oracle, subject] = await this.#both(programs);
    return programs.map((program, i) => {
      const verdict = judge(program, analyseProgram(program, this.#state.profile), oracle[i]!, subject[i]!);
      return verdict.kind === 'finding' && verdict.what === like.what && verdict.signature === like.signature;
    });
  }

  /** The files of a finding. A second run says what its message is now that it is small. */
  async #write(number: number, program: Program, verdict: Verdict & { kind: 'finding' }): Promise<Finding> {
    const { seed, profile } = this.#state;
    const id = `${seed}-${number}`;
    const known = analyseProgram(program, profile);
    const [[oracle], [subject]] = await this.#both([program]);
    const again = judge(program, known, oracle!, subject!);
    const message = again.kind === 'finding' ? again.message : verdict.message;
    const expected = verdict.what !== 'failure' && oracle!.kind === 'results' ? oracle!.arrays : undefined;
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
