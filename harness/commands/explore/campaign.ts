/** An exploration: random sessions in batches, what was found, and a state from which it is resumed. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { asJson } from '../../base/as-json.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { makeDirectory } from '../../base/make-directory.ts';
import { type DeviceOptions, withDevices } from '../../host/devices/with-devices.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { writeFileAtomically } from '../../report/write-file.ts';
import { chosenShard, isAuto } from '../../run/fleet/chosen-shard.ts';
import { parseShard, shardDirectory, shardText } from '../../run/fleet/shard.ts';
import { resolveAll } from '../../run/plugin/plugin-setup.ts';
import type { Apart } from '../../run/plugin/results-on.ts';
import { askedBy, asOptions, type TimeoutOptions } from '../../run/plugin/timeouts.ts';
import type { RawStep } from '../../suite/raw.ts';
import { loadRequirements, type Requirements } from '../../suite/requirements.ts';
import { suiteText } from './as-case.ts';
import { Coverage } from './coverage.ts';
import { playOn } from './execute.ts';
import { explains } from './explains.ts';
import type { Action } from './move.ts';
import { madePlainly, sendingPlainly } from './moves/transfers.ts';
import { MOVES } from './moves.ts';
import { needsOf } from './needs.ts';
import type { Outcome } from './outcome.ts';
import { drawSession, formOf, namesOf, playAgain, type Session, waitsOf } from './session.ts';
import { shrink } from './shrink.ts';
import { type Avoided, type Finding, loadState, type State, stateFile } from './state.ts';

/** Options of `explore`. */
export interface ExploreOptions extends TimeoutOptions, DeviceOptions {
  plugin: string;
  option?: string[];
  seed: number;
  /** Sessions of all shards together. */
  count?: number;
  /** Milliseconds. */
  budget?: number;
  /** Findings after which it ends. */
  maxFindings?: number;
  /** Devices on which sessions play. */
  devices: number;
  /** Lanes of a session. */
  threads: number;
  shard?: string;
  output: string;
  resume?: boolean;
  workers?: number;
  fetch: boolean;
  allowBuild?: boolean;
}

/** How an exploration ended. */
export interface Exploration {
  state: State;
  ending: 'complete' | 'interrupted' | 'unusable';
  /** Why the plugin could not be used. */
  reason?: string;
  report: string;
}

/** Sessions that are played together: the plugin is started again for each batch. At first few, since much is to be learnt. */
const BATCH = 24;
const FIRST_BATCH = 8;
const FIRST_SESSIONS = 64;
/** Deadlines of calls: what hangs is soon known to wait for what is withheld, and what is only slow is tried again with those of the run. */
const IMPATIENT: TimeoutOptions = { timeoutCall: 10_000, timeoutFirst: 30_000, timeoutCase: 30_000 };
/** Moves of a session. */
const MOVES_OF_SESSION = 30;
/** Sessions whose numbers are kept with a finding. */
const NAMED = 20;
/** Moves of a sequence that fails by itself, whatever the state of things. */
const BY_ITSELF = 2;

/** Explores a plugin, or goes on with it. @throws UsageError, PluginError */
export async function explore(
  options: ExploreOptions,
  environment: CommandEnvironment,
  progress: (state: State) => void,
): Promise<Exploration> {
  const { plugin: name, option, fetch, allowBuild } = options;
  const plugin = (await resolveAll({ plugin: [name], option, fetch, allowBuild }, environment))[0]!;
  const shard = chosenShard(options.shard ?? '1/1', environment.env);
  const shared = resolve(environment.cwd, options.output);
  const directory = isAuto(options.shard) ? join(shared, shardDirectory(shard)) : shared;
  const fresh: State = {
    version: 2,
    seed: options.seed,
    shard: shardText(shard),
    ...(shard.job === undefined ? {} : { job: shard.job }),
    devices: options.devices,
    threads: options.threads,
    plugin: { name: plugin.name, sha256: plugin.sha256 },
    next: 0,
    right: 0,
    moves: 0,
    avoided: [],
    findings: [],
    coverage: { moves: {}, pairs: {} },
    elapsedMs: 0,
  };
  const state = loadState(directory, fresh, options.resume === true);
  const patient: Apart = { workers: options.workers ?? 1, binding: 'lazy', timeouts: options, environment };
  const how = { patient, quick: { ...patient, timeouts: asOptions({ ...askedBy(IMPATIENT), ...askedBy(options) }) } };
  const explorer = new Explorer({ options, state, plugin, directory, how, progress });
  return await withDevices([plugin], options, environment, () => explorer.run());
}

/** What an exploration goes by. */
interface Course {
  options: ExploreOptions;
  state: State;
  plugin: ResolvedPlugin;
  directory: string;
  how: { patient: Apart; quick: Apart };
  progress: (state: State) => void;
}

type Failure = Outcome & { kind: 'failed' };

/** Whether a step waits for the end of something. */
const waits = (step: RawStep): boolean => 'await' in step || 'heard' in step;

class Explorer {
  readonly #course: Course;
  readonly #state: State;
  readonly #coverage: Coverage;
  readonly #requirements: Requirements = loadRequirements();
  #how: Apart;
  #began = 0;

  constructor(course: Course) {
    this.#course = course;
    this.#state = course.state;
    this.#coverage = new Coverage(course.state.coverage);
    this.#how = course.how.quick;
  }

  get #aborted(): boolean {
    return this.#course.how.patient.environment.signal.aborted;
  }

  /** Whether another batch that takes as long as the last one would end too late. */
  #late(lastMs: number): boolean {
    const { budget } = this.#course.options;
    return budget !== undefined && this.#elapsed + lastMs > budget;
  }

  get #elapsed(): number {
    return Math.round(performance.now() - this.#began);
  }

  async run(): Promise<Exploration> {
    const state = this.#state;
    this.#began = performance.now() - state.elapsedMs;
    let reason: string | undefined;
    for (let lastMs = 0; ; ) {
      const numbers = this.#nextNumbers();
      const enough = state.findings.length >= (this.#course.options.maxFindings ?? Infinity);
      if (numbers.length === 0 || this.#late(lastMs) || this.#aborted || enough) break;
      const start = performance.now();
      reason = await this.#batch(numbers);
      // What an interrupted batch has not seen is played again.
      if (reason !== undefined || this.#aborted) break;
      lastMs = performance.now() - start;
      state.next = numbers.at(-1)! + 1;
      this.#save();
    }
    this.#save();
    const ending = this.#aborted ? 'interrupted' : reason === undefined ? 'complete' : 'unusable';
    return {
      state,
      ending,
      ...(reason === undefined ? {} : { reason }),
      report: stateFile(this.#course.directory),
    };
  }

  /** The numbers of the next sessions of this shard. */
  #nextNumbers(): number[] {
    const { index, count } = parseShard(this.#state.shard);
    const numbers: number[] = [];
    const size = this.#state.next < FIRST_SESSIONS * count ? FIRST_BATCH : BATCH;
    for (let n = this.#state.next; n < (this.#course.options.count ?? Infinity) && numbers.length < size; n++) {
      if (n % count === index - 1) numbers.push(n);
    }
    return numbers;
  }

  #save(): void {
    this.#state.elapsedMs = this.#elapsed;
    this.#state.coverage = this.#coverage.toJSON();
    makeDirectory(this.#course.directory);
    writeFileAtomically(stateFile(this.#course.directory), (write) => write(asJson(this.#state)));
    this.#course.progress(this.#state);
  }

  #play = (sessions: readonly Session[], how = this.#how): Promise<Outcome[]> =>
    playOn(this.#course.plugin, sessions, this.#requirements, how);

  /** @returns why the plugin cannot be used, if it cannot */
  async #batch(numbers: readonly number[]): Promise<string | undefined> {
    const { seed, devices, avoided } = this.#state;
    const kinds = Object.keys(MOVES);
    const sessions = numbers.map((n) =>
      drawSession({
        seed: `${seed}/${n}`,
        devices,
        moves: MOVES_OF_SESSION,
        threads: this.#state.threads,
        coverage: this.#coverage,
        avoided: new Set(avoided.map(({ what }) => what)),
        // The first sessions are about one kind of move each: what the plugin lacks shows there.
        ...(n < kinds.length ? { towards: kinds[n]! } : {}),
      }),
    );
    const outcomes = await this.#play(sessions);
    if (this.#aborted) return undefined;
    if (outcomes.every(({ kind }) => kind === 'none'))
      return (outcomes[0] as (Outcome & { kind: 'none' }) | undefined)?.reason;
    for (const [i, outcome] of outcomes.entries()) {
      const session = sessions[i]!;
      this.#state.moves += session.actions.length;
      if (outcome.kind === 'right') this.#state.right++;
      else if (outcome.kind === 'refused') await this.#refused(session, outcome.reason);
      else if (outcome.kind === 'failed') await this.#failed(numbers[i]!, session, outcome);
      if (this.#aborted) return undefined;
    }
    return undefined;
  }

  #again = (session: Session, actions: readonly Action[]): Session => playAgain(session.seed, session.devices, actions);

  /** The shortest part of a session with an outcome. */
  #shrunk = async (session: Session, isSo: (outcome: Outcome) => boolean): Promise<Session> =>
    this.#again(
      session,
      await shrink(
        session.actions,
        (actions) => this.#again(session, actions).actions,
        madePlainly,
        async (sequences) => (await this.#play(sequences.map((one) => this.#again(session, one)))).map(isSo),
      ),
    );

  /** A move that the plugin does not take is not played any more. */
  async #refused(session: Session, reason: string): Promise<void> {
    if (session.turns.some(({ key, action }) => this.#isAvoided(key, action))) return;
    const small = await this.#shrunk(session, (outcome) => outcome.kind === 'refused' && outcome.reason === reason);
    const [last] = small.actions.slice(-1);
    for (const [what, type] of last ? needsOf(last) : []) {
      // Whatever is done with such an array, it begins with one.
      const [plain] = await this.#play([this.#again(session, [sendingPlainly(type)])]);
      if (plain?.kind === 'refused') this.#state.avoided.push({ what, why: 'refused', reason });
    }
    this.#avoid(small, 'refused', reason);
  }

  #isAvoided = (key: string, action: Action | undefined): boolean =>
    this.#state.avoided.some(({ what }) => (action ? namesOf(action, key) : [key]).includes(what));

  /** @param why why the last move of the session is not played any more */
  #avoid({ turns, actions }: Session, why: Avoided['why'], reason: string): void {
    const last = turns.findLast(({ action }) => action === actions.at(-1));
    if (!last?.action || this.#isAvoided(last.key, last.action)) return;
    const what = why === 'refused' || actions.length <= BY_ITSELF ? formOf(last.action) : last.key;
    this.#state.avoided.push({ what, why, reason });
  }

  /** Counts a session to a finding, or makes one of it. */
  async #failed(number: number, session: Session, failure: Failure): Promise<void> {
    const { findings } = this.#state;
    if (findings.some(({ sessions }) => sessions.includes(number))) return;
    const same = this.#found(failure);
    if (same) return counted(same, number);
    if (failure.hangs && ((await this.#waits(session, failure)) || (await this.#isSlow(session)))) return;
    const small = await this.#shrunk(session, (outcome) => this.#isAlike(failure, outcome));
    if (this.#aborted) return;
    const [again] = await this.#play([small]);
    const shown = again?.kind === 'failed' ? again : failure;
    findings.push(this.#written(number, small, shown, [...new Set([failure.signature, shown.signature])]));
    this.#avoid(small, 'found', shown.message);
    this.#save();
  }

  #found = ({ signature }: Failure): Finding | undefined =>
    this.#state.findings.find(({ signatures }) => signatures.includes(signature));

  #known = (failure: Failure) =>
    this.#course.plugin.manifest?.deviations.find((deviation) => explains(deviation, failure));

  /** Whether a part of a session fails alike, and not as something else that is found or known does. */
  #isAlike(failure: Failure, outcome: Outcome): boolean {
    if (outcome.kind !== 'failed' || outcome.likeness !== failure.likeness) return false;
    return outcome.signature === failure.signature || !(this.#found(outcome) || this.#known(outcome));
  }

  /**
   * A call that does not return while the session withholds something may wait for that: it is no failure if it returns
   * once that is given. Such a move is not played any more in that state of things.
   */
  async #waits(session: Session, { turn, call }: Failure): Promise<boolean> {
    const key = turn === undefined ? undefined : session.turns[turn]?.key;
    const action = turn === undefined ? undefined : session.turns[turn]?.action;
    if (turn === undefined || key === undefined || !action) return false;
    if (call !== undefined && MOVES[action.move]!.mayWaitIn?.includes(call)) return this.#avoidWaiting(key);
    const before = session.actions.slice(0, turn);
    // What the move itself gives, or abandons, is not what it waits for.
    const left = this.#again(session, [...before, action]).open;
    const gates = this.#again(session, before)
      .open.filter((gate) => left.includes(gate))
      .map((gate, i): Action => ({ move: 'give', id: `given${i}`, things: { gate }, settings: {} }));
    if (gates.length === 0) return false;
    const [outcome] = await this.#play([this.#again(session, [...before, ...gates, action])]);
    // Another failure of the session is a finding of its own, and shows as well that the call returns.
    if (outcome?.kind !== 'right' && (outcome?.kind !== 'failed' || outcome.hangs)) return false;
    return this.#avoidWaiting(key);
  }

  #avoidWaiting(key: string): true {
    const reason = 'the call waits for what the session withholds';
    this.#state.avoided.push({ what: waitsOf(key)[0] ?? key, why: 'waits', reason });
    return true;
  }

  /** Whether a plugin hangs only for those who do not wait long: then all sessions get the deadlines of the run. */
  async #isSlow(session: Session): Promise<boolean> {
    const { patient } = this.#course.how;
    if (this.#how === patient) return false;
    const [outcome] = await this.#play([session], patient);
    if (outcome?.kind !== 'right') return false;
    this.#how = patient;
    return true;
  }

  /**
   * A death in a call that a plugin should refuse is no more than a call that was not refused, and so is waiting for ever for
   * what should end.
   */
  #levelOf({ turns }: Session, { turn, call, hangs, level }: Failure): Failure['level'] {
    const { own = [], steps = [] } = turns[turn ?? -1] ?? {};
    const about = hangs && own.some(waits) ? own : steps.filter((step) => step.call === call);
    const isShould = (id: string): boolean => this.#requirements.get(id)?.level === 'should';
    const requirements = about.map(({ breaks = [] }) => breaks as string[]);
    return about.length > 0 && requirements.every((ids) => ids.length > 0 && ids.every(isShould)) ? 'should' : level;
  }

  /** The files of a finding. */
  #written(number: number, session: Session, failure: Failure, signatures: readonly string[]): Finding {
    const { message, requirements } = failure;
    const id = `${this.#state.seed}-${number}`;
    const suites = join(this.#course.directory, 'suites', id);
    makeDirectory(suites);
    const suite = join(suites, 'suite.yaml');
    const about = 'A sequence of calls that a random session made.';
    const text = suiteText(`${id}/suite`, `Found by exploring, session ${id}.`, [{ id: 'session', about, session }]);
    const comment = message.split('\n').map((line) => `# ${line}`.trimEnd());
    writeFileSync(suite, `${comment.join('\n')}\n${text}`);
    const known = this.#known(failure);
    return {
      id,
      signatures,
      message,
      level: this.#levelOf(session, failure),
      requirements,
      actions: session.actions,
      calls: session.actions.length,
      suite,
      count: 1,
      sessions: [number],
      afterMs: this.#elapsed,
      ...(known ? { known: known.reason } : {}),
    };
  }
}

function counted(finding: Finding, number: number): void {
  finding.count++;
  if (finding.sessions.length < NAMED) finding.sessions.push(number);
}
