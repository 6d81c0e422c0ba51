import { rmSync } from 'node:fs';
import type { Attempt, CapturedText, CaseResult, Event, PluginFacts } from '../report/events.ts';
import { scratchFolder } from '../scratch.ts';
import type { Case } from '../suite/types.ts';
import type { Caller } from '../wire/caller.ts';
import { INSPECTIONS, type WirePlugin } from '../wire/protocol.ts';
import { attemptOf, nextAttempt, type Repetition, settled, type Try } from './attempts.ts';
import { crashResult, endOf, howItDied, killedFromOutside, stageOf, timeoutResult, whereabouts } from './blame.ts';
import { type Crash, conclude, type Repeat } from './crash-inquiry.ts';
import { LiveWorker } from './live-worker.ts';
import { brief, type Listener } from './output-splitter.ts';
import type { Deadlines } from './watchdog.ts';
import { type Death, WorkerProcess } from './worker-process.ts';

/** Everything that a run needs to know. */
export interface RunPlan {
  cases: readonly Case[];
  plugins: readonly WirePlugin[];
  /** Known of the plugins before any is loaded (name, path, hash). */
  facts: readonly PluginFacts[];
  env: NodeJS.ProcessEnv;
  binding: 'now' | 'lazy';
  /** As which caller the plugins are used. */
  caller: Caller;
  /** False: no client is ever created (the no-device profile). */
  clients: boolean;
  workers: number;
  deadlines: Deadlines;
  /** How often cases are run, and whether a result is a failure that another attempt may change. */
  repetition?: Repetition & { fails(id: string, result: CaseResult): boolean };
  /** Adds what plugins/known and expectations files say to the result of a case. */
  annotate(id: string, result: CaseResult): CaseResult;
  /** Adds what may be behind it to the message of a library that could not be loaded. */
  explainLoad(path: string, message: string): string;
  /** What ran before, in other processes: time that the run took and the highest number of a worker. */
  before?: { ms: number; workers: number };
  /** Hears what workers write, as it comes, and every native call: for `--debug`. */
  listen?(worker: number, stream: 'stdout' | 'stderr'): Listener;
  /** Ends the run early: what is in hand is killed, the rest is not run. */
  signal: AbortSignal;
}

const WATCH_MS = 25;
/** Attempts to start a worker before it is given up. */
const MAX_FAILED_STARTS = 3;

/** How often a case is given to another worker because its worker died before the case began. */
const MAX_LOST = 3;

interface Job {
  number: number;
  case: Case;
  /** Set when the case's worker was killed by somebody else: it is repeated while no other worker runs. */
  exclusive: boolean;
  lost: number;
  /** Set when it crashed in a call and is repeated to find out why. */
  crash?: Crash;
  /** Attempts that have ended, and why this one is made. */
  tries: readonly Try[];
  why?: Attempt['why'];
}

const ONCE: NonNullable<RunPlan['repetition']> = { repeat: 1, rerunFailed: 0, fails: () => false };

/** How the start of a worker went. */
interface Start {
  live?: LiveWorker;
  facts: PluginFacts[];
  death?: Death;
}

/** Runs a plan in worker processes and tells what happens as events. Never throws because of a plugin. */
export async function runPlan(plan: RunPlan, emit: (event: Event) => void): Promise<void> {
  const scratch = scratchFolder('conformance');
  try {
    await new Runner(plan, emit, scratch).run();
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

class Runner {
  readonly #plan: RunPlan;
  readonly #emit: (event: Event) => void;
  readonly #scratch: string;
  readonly #shared: Job[] = [];
  readonly #isolated: Job[] = [];
  /** Of the next round: every case once more, in new workers and in the opposite order. */
  readonly #later: Job[] = [];
  #round = 1;
  readonly #live = new Set<LiveWorker>();
  #facts: PluginFacts[];
  readonly #answers = new Map<string, Set<string>>();
  #factsTold = false;
  readonly #began: number;
  #workers: number;
  /** Lanes that still take jobs. */
  #lanes = 0;
  #busy = 0;
  #exclusive = false;
  #wakeups: (() => void)[] = [];
  #failedStarts = 0;
  /** Why cases that need a client cannot run; found by the first worker. */
  #noClient: string | undefined;
  /** The plugin refused a client with an error, as it does without a device: cases that make clients prove nothing. */
  #refused = false;
  /** Why nothing at all can run. */
  #noPlugin: string | undefined;
  /** A worker did not survive its own exit: later ones are killed instead, or every one of them would take as long. */
  #exitsBadly = false;

  constructor(plan: RunPlan, emit: (event: Event) => void, scratch: string) {
    this.#plan = plan;
    this.#emit = emit;
    this.#scratch = scratch;
    this.#facts = [...plan.facts];
    this.#began = performance.now() - (plan.before?.ms ?? 0);
    this.#workers = plan.before?.workers ?? 0;
    plan.cases.forEach((testCase, i) => {
      const job: Job = { number: i + 1, case: testCase, exclusive: false, lost: 0, tries: [] };
      (testCase.isolation === 'process' ? this.#isolated : this.#shared).push(job);
    });
  }

  async run(): Promise<void> {
    const abort = () => {
      for (const live of this.#live) live.process.kill('the run was interrupted');
    };
    this.#plan.signal.addEventListener('abort', abort);
    const watch = setInterval(() => {
      for (const live of this.#live) live.look(performance.now());
    }, WATCH_MS);
    try {
      // One worker finds out what the plugin is before others start.
      const first = await this.#findOut();
      this.#tellFacts();
      this.#lanes = Math.max(1, this.#plan.workers);
      await Promise.all(Array.from({ length: this.#lanes }, (_, i) => this.#lane(i === 0 ? first : undefined)));
      // Of a run that was stopped, what was tried still counts.
      for (const job of [...this.#shared, ...this.#isolated, ...this.#later]) this.#settle(job);
    } finally {
      clearInterval(watch);
      this.#plan.signal.removeEventListener('abort', abort);
    }
  }

  /** Starts the first worker, and learns from it what the plugins are and whether clients can be had. */
  async #findOut(): Promise<LiveWorker | undefined> {
    for (let attempt = 1; !this.#plan.signal.aborted; attempt++) {
      const start = await this.#start(this.#plan.clients, true);
      if (this.#plan.signal.aborted) return start.live;
      this.#facts = start.facts.map((facts) => this.#explained(facts));
      // Somebody else killed it: that says nothing of the plugin yet.
      if (start.death && killedFromOutside(start.death) && attempt < MAX_FAILED_STARTS) continue;
      const broken = this.#facts.find((f) => f.failure);
      if (start.live) await this.#noteOutput(start.live, 'while the plugin was loaded');
      if (broken?.failure?.stage === 'client') {
        this.#noClient = `no client of ${broken.name}: ${failureWords(broken.failure)}`;
        this.#refused = start.death === undefined;
      } else if (broken?.failure) {
        this.#noPlugin = `${broken.name} could not be used: ${failureWords(broken.failure)}`;
        return start.live;
      }
      return this.#inspect(start.live);
    }
    return undefined;
  }

  #explained(facts: PluginFacts): PluginFacts {
    const { failure } = facts;
    if (failure?.stage !== 'load') return facts;
    return { ...facts, failure: { ...failure, message: this.#plan.explainLoad(facts.path, failure.message) } };
  }

  /** Looks at everything that reports show of the plugins. A look that ends the process costs that look only. */
  async #inspect(first: LiveWorker | undefined): Promise<LiveWorker | undefined> {
    let live = first;
    for (const part of INSPECTIONS) {
      if (this.#plan.signal.aborted) break;
      if (!live) {
        const start = await this.#start(this.#plan.clients && this.#noClient === undefined, true);
        if (start.live && start.facts.some((f) => f.failure)) await this.#stop(start.live);
        else live = start.live;
        if (!live) break;
      }
      live.facts = this.#facts;
      const end = await live.ask(
        { type: 'inspect', part },
        { ...this.#plan.deadlines, case: Number.POSITIVE_INFINITY },
      );
      const what = `a look at the plugin's ${part}`;
      if (end.type === 'death') {
        this.#bury(live, end.death);
        if (!this.#plan.signal.aborted) {
          const breach = !killedFromOutside(end.death);
          this.#warn(`${what}: ${endOf(end.death)}`, breach, live.process.outputSoFar(0).stderr);
        }
        live = undefined;
        continue;
      }
      await this.#noteOutput(live, what);
      this.#noteClosedStreams(live, what);
      if (end.problem !== undefined) this.#warn(`${what}: ${end.problem}`);
    }
    return live;
  }

  /** One lane of the run: takes jobs until none is left, in a worker that it renews when it must. */
  async #lane(first: LiveWorker | undefined): Promise<void> {
    let live = first;
    for (;;) {
      const job = await this.#next();
      if (job && this.#plan.signal.aborted) this.#settle(job);
      if (!job || this.#plan.signal.aborted) break;
      const reason = this.#cannotRun(job.case);
      if (reason !== undefined) {
        if (job.crash) this.#finishCrash(job, 0, 'survived');
        else if (job.tries.length > 0) this.#settle(job);
        else this.#finish(job, 0, { status: 'skip', findings: [], reason, durationMs: 0, nativeMs: 0, calls: 0 });
        this.#release(job);
        continue;
      }
      const isolated = job.case.isolation === 'process';
      const alone = isolated || job.why === 'rerun';
      const clients = this.#plan.clients && this.#noClient === undefined && !(isolated && job.case.client !== 'shared');
      const guard = job.crash?.guard ?? true;
      const fits =
        !live?.spent && !alone && live?.round === this.#round && live?.clients === clients && live.guard === guard;
      if (live && (!fits || live.process.dead)) {
        await this.#stop(live);
        live = undefined;
      }
      live ??= await this.#renew(clients, guard);
      if (!live) {
        this.#requeue(job);
        this.#release(job);
        if (this.#lanes > 1) {
          this.#lanes--;
          return;
        }
        continue;
      }
      const survived = await this.#execute(live, job);
      if (alone || !guard) live.spent = true;
      if (!survived) live = undefined;
      this.#release(job);
    }
    if (live) await this.#stop(live);
  }

  /**
   * Starts a worker after the first one. When it does not get what the first one got (a plugin may allow one process at a
   * time, or be left broken by a crash), its lane ends; the last lane tries a few times before it gives up.
   */
  async #renew(clients: boolean, guard: boolean): Promise<LiveWorker | undefined> {
    const start = await this.#start(clients, guard);
    if (this.#plan.signal.aborted) return start.live;
    const broken = start.facts.find((f) => f.failure);
    if (start.live && !broken) {
      this.#failedStarts = 0;
      return start.live;
    }
    if (start.live) await this.#stop(start.live);
    const words = broken?.failure
      ? `${broken.name}: ${failureWords(broken.failure)}`
      : 'it was killed by another process';
    if (this.#lanes > 1) {
      this.#warn(
        `a further worker could not start, going on with fewer (a plugin that allows one process at a time needs --workers 1 or \`serial: true\` in its manifest): ${words}`,
      );
      return undefined;
    }
    this.#warn(`a worker could not start: ${words}`);
    if (++this.#failedStarts >= MAX_FAILED_STARTS) this.#giveUp(clients, words, broken);
    return undefined;
  }

  /** No worker can be had any more: what is left to run cannot run, and the plugin counts as unusable from here on. */
  #giveUp(clients: boolean, words: string, broken: PluginFacts | undefined): void {
    const what = clients ? 'no client could be had any more' : 'no worker could be started any more';
    const message = `${what} after ${this.#failedStarts} attempts: ${words}`;
    this.#failedStarts = 0;
    if (clients) this.#noClient = message;
    else this.#noPlugin = message;
    const facts = this.#facts.find((f) => f.name === broken?.name) ?? this.#facts[0]!;
    facts.failure ??= { stage: broken?.failure?.stage ?? 'load', message };
    this.#tellFacts();
  }

  /** Says all that is known of the plugins. */
  #tellFacts(): void {
    for (const [i, facts] of this.#facts.entries()) {
      const answers = i === 0 && this.#answers.size > 0 ? { answers: sortedAnswers(this.#answers) } : {};
      this.#emit({ type: 'plugin', plugin: { ...structuredClone(facts), ...answers } });
    }
    this.#factsTold = true;
  }

  /** Next job, waiting while an exclusive one runs or other lanes must drain before one can. */
  async #next(): Promise<Job | undefined> {
    for (;;) {
      if (this.#plan.signal.aborted) return undefined;
      const queue = this.#shared.length > 0 ? this.#shared : this.#isolated;
      const job = queue[0];
      if (!this.#exclusive && job && (!job.exclusive || this.#busy === 0)) {
        queue.shift();
        this.#busy++;
        if (job.exclusive) this.#exclusive = true;
        return job;
      }
      // A lane that is busy may put its job back.
      if (!job && this.#busy === 0) {
        if (this.#beginRound()) continue;
        return undefined;
      }
      await new Promise<void>((resolve) => this.#wakeups.push(resolve));
    }
  }

  /** Takes up the cases that are to be repeated; false when there are none. */
  #beginRound(): boolean {
    if (this.#later.length === 0) return false;
    this.#round++;
    for (const job of this.#later.splice(0).reverse()) {
      (job.case.isolation === 'process' ? this.#isolated : this.#shared).push(job);
    }
    return true;
  }

  #release(job: Job): void {
    this.#busy--;
    if (job.exclusive) this.#exclusive = false;
    for (const wake of this.#wakeups.splice(0)) wake();
  }

  #requeue(job: Job): void {
    (job.case.isolation === 'process' ? this.#isolated : this.#shared).unshift(job);
  }

  #cannotRun(testCase: Case): string | undefined {
    if (this.#noPlugin !== undefined) return this.#noPlugin;
    if (testCase.client === 'none' || (testCase.client === 'own' && this.#plan.clients && !this.#refused))
      return undefined;
    if (!this.#plan.clients) return 'needs a client, which this profile does not create';
    return this.#noClient;
  }

  /** Takes in how functions answered. What is new is told at once: the end of the run may never come. */
  #hear(answers: Record<string, readonly string[]>): void {
    const news = new Map<string, Set<string>>();
    for (const [name, list] of Object.entries(answers)) {
      const known = this.#answers.get(name) ?? new Set();
      const fresh = list.filter((answer) => !known.has(answer));
      if (fresh.length > 0) news.set(name, new Set(fresh));
      for (const answer of fresh) known.add(answer);
      this.#answers.set(name, known);
    }
    const facts = this.#facts[0];
    if (!facts || news.size === 0 || !this.#factsTold) return;
    const { name, path, sha256, sizeBytes, failure } = facts;
    const plugin = { name, path, sha256, sizeBytes, ...(failure ? { failure } : {}), answers: sortedAnswers(news) };
    this.#emit({ type: 'plugin', plugin });
  }

  /** Starts a worker and has it load the plugins. Without `live` it died on the way; `facts` say what was learnt. */
  async #start(clients: boolean, guard: boolean): Promise<Start> {
    const worker = new WorkerProcess(
      ++this.#workers,
      {
        plugins: [...this.#plan.plugins],
        binding: this.#plan.binding,
        caller: this.#plan.caller,
        clients,
        guard,
        ...(this.#plan.listen ? { trace: true } : {}),
      },
      this.#plan.env,
      this.#scratch,
      this.#plan.listen,
    );
    const facts = structuredClone(this.#plan.facts) as PluginFacts[];
    const live = new LiveWorker(worker, { clients, guard }, facts);
    live.round = this.#round;
    live.onAnswers = (answers) => this.#hear(answers);
    this.#live.add(live);
    this.#emit({ type: 'worker', worker: worker.number, what: 'start', pid: worker.pid, atMs: this.#at() });
    const end = await live.ask({ type: 'prepare' }, { ...this.#plan.deadlines, case: Number.POSITIVE_INFINITY });
    if (end.type !== 'death') return { live, facts };
    this.#bury(live, end.death);
    const stage = stageOf(whereabouts(end.death).call);
    const loaded = facts.filter((f) => f.apiVersion).length;
    const index = stage === 'load' ? loaded : Math.max(loaded - 1, 0);
    facts[Math.min(index, facts.length - 1)]!.failure = {
      stage,
      message: `${endOf(end.death)}${lastLines(worker.outputSoFar(0).stderr)}`,
    };
    return { facts, death: end.death };
  }

  /** Runs one job; false when the worker is gone afterwards. */
  async #execute(live: LiveWorker, job: Job): Promise<boolean> {
    const { process: worker } = live;
    const began = performance.now();
    if (!job.crash) this.#emit({ type: 'start', id: job.case.id, worker: worker.number, atMs: this.#at() });
    const { call, case: whole } = job.case.deadline;
    const end = await live.ask(
      { type: 'run', number: job.number, case: job.case },
      {
        ...this.#plan.deadlines,
        ...(call === undefined ? {} : { call }),
        ...(whole === undefined ? {} : { case: whole }),
      },
    );
    if (end.type === 'result') {
      live.last = job.case.id;
      // At once: a worker that dies now takes its trace along.
      const trace = isQuiet(end.result) ? undefined : worker.trace();
      const output = await worker.output(job.number);
      this.#noteClosedStreams(live, job.case.id);
      if (job.crash) this.#finishCrash(job, worker.number, 'survived');
      else this.#finish(job, worker.number, { ...end.result, ...(trace ? { trace } : {}), ...output });
      return true;
    }
    const { death } = end;
    if (this.#plan.signal.aborted) {
      this.#bury(live, death);
      if (job.crash) this.#finishCrash(job, worker.number, 'elsewhere');
      else this.#settle(job);
    } else if (death.crumb?.caseNumber !== job.number && !death.killedFor && ++job.lost < MAX_LOST) {
      this.#buryIdle(live, death);
      this.#requeue(job);
    } else {
      this.#bury(live, death);
      this.#judge(job, worker, death, performance.now() - began);
    }
    return false;
  }

  /** Decides what the death of a worker in the middle of a case means. */
  #judge(job: Job, worker: WorkerProcess, death: Death, took: number): void {
    const output = worker.outputSoFar(job.number);
    if (job.crash) {
      const same = whereabouts(death).call === job.crash.result.inFlight && !death.killedFor;
      this.#finishCrash(job, worker.number, same ? 'same call' : 'elsewhere');
    } else if (death.killedFor !== undefined && !death.closedChannel) {
      this.#finish(job, worker.number, { ...timeoutResult(death, took, job.case.covers), ...output });
    } else if (killedFromOutside(death) && !job.exclusive) {
      this.#warn(
        `a worker was killed with ${death.signal} while it ran ${job.case.id}, perhaps by another process; the case is repeated alone`,
      );
      this.#requeue({ ...job, exclusive: true });
    } else {
      const result = crashResult(death, took, job.case.covers);
      const inCall = result.inFlight !== undefined && (death.signal === 'SIGSEGV' || death.signal === 'SIGBUS');
      if (inCall && !job.exclusive) this.#requeue({ ...job, crash: { result, output, guard: false } });
      else this.#finish(job, worker.number, { ...result, ...output });
    }
  }

  #finishCrash(job: Job, worker: number, repeat: Repeat): void {
    const end = conclude(job.crash!, repeat);
    if ('guard' in end && !this.#plan.signal.aborted) this.#requeue({ ...job, crash: end });
    else this.#finish(job, worker, { ...end.result, ...job.crash!.output });
  }

  /** Lets a worker destroy its clients and exit, and notes when it does not do so cleanly. */
  async #stop(live: LiveWorker): Promise<void> {
    if (live.process.dead) {
      this.#buryIdle(live, await live.process.ended);
      return;
    }
    const { death, stopped, problem, peakRssBytes } = await live.stop(this.#plan.deadlines, this.#exitsBadly);
    this.#bury(live, death, peakRssBytes);
    if (problem !== undefined)
      this.#warn(`the client of worker ${live.process.number} could not be destroyed: ${problem}`);
    if (this.#plan.signal.aborted || (stopped && (this.#exitsBadly || death.exitCode === 0))) return;
    const how =
      death.killedFor === undefined ? howItDied(death) : `did not end within ${this.#plan.deadlines.exit / 1000} s`;
    const when = stopped
      ? 'at process exit, after its clients had been destroyed; further workers are killed instead of being let exit'
      : `while its clients were being destroyed, ${whereabouts(death).text}`;
    this.#exitsBadly ||= stopped;
    this.#warn(`worker ${live.process.number} ${how} ${when}`, !stopped, live.process.outputBetween().stderr);
  }

  /** A worker that died while it had nothing to do. */
  #buryIdle(live: LiveWorker, death: Death): void {
    this.#bury(live, death);
    if (this.#plan.signal.aborted) return;
    const after = live.last === undefined ? 'before its first case' : `after ${live.last}`;
    this.#warn(
      `worker ${live.process.number} ${howItDied(death)} between two cases, ${after}, with no native call in flight`,
      !killedFromOutside(death),
      live.process.outputBetween().stderr,
    );
  }

  #bury(live: LiveWorker, death: Death, peakRssBytes?: number): void {
    this.#live.delete(live);
    const { call } = whereabouts(death);
    if (call !== undefined && !killedFromOutside(death) && !this.#plan.signal.aborted) {
      this.#hear({ [call]: [death.killedFor ? 'HANG' : 'DEATH'] });
    }
    this.#emit({
      type: 'worker',
      worker: live.process.number,
      what: 'exit',
      pid: live.process.pid,
      atMs: this.#at(),
      ...(death.signal ? { signal: death.signal } : {}),
      ...(death.exitCode === undefined ? {} : { exitCode: death.exitCode }),
      ...(death.killedFor ? { note: death.killedFor } : {}),
      ...(peakRssBytes === undefined ? {} : { peakRssBytes }),
    });
  }

  /** Output that belongs to no case; that of cases is in their results. */
  async #noteOutput(live: LiveWorker, during: string): Promise<void> {
    for (const [stream, text] of Object.entries(await live.process.output(0))) {
      const { head, tail, omittedBytes } = brief(text);
      const bytes = Buffer.byteLength(text.head + text.tail) + text.omittedBytes;
      const gap = omittedBytes > 0 ? `\n… [${omittedBytes} bytes omitted]\n` : '';
      const message = `${during}: the plugin wrote ${bytes} bytes to ${stream}`;
      this.#emit({ type: 'note', level: 'info', message, detail: `${head}${gap}${tail}` });
    }
  }

  #noteClosedStreams(live: LiveWorker, during: string): void {
    const closed = live.process.takeClosedStreams();
    if (closed.length > 0) {
      const streams = closed.sort().reverse().join(' and ');
      this.#warn(
        `the plugin closed ${streams} of worker ${live.process.number}, whose later output is lost; seen after ${during}`,
      );
    }
  }

  #warn(message: string, breach = false, stderr?: CapturedText): void {
    const detail = lastLines(stderr).trimStart();
    this.#emit({
      type: 'note',
      level: 'warning',
      message,
      ...(detail ? { detail } : {}),
      ...(breach ? { breach } : {}),
    });
  }

  /** An attempt has ended: another one follows, or the case is done. */
  #finish(job: Job, worker: number, whole: CaseResult): void {
    const result = isQuiet(whole) ? withBriefOutput(whole) : whole;
    const { id } = job.case;
    const attempt = attemptOf(result, { worker, atMs: this.#at(), why: job.why });
    const tries = [...job.tries, { result, attempt }];
    const { repetition = ONCE, signal } = this.#plan;
    const why = signal.aborted ? undefined : nextAttempt(tries, repetition, (of) => repetition.fails(id, of));
    if (why === undefined) {
      this.#settle({ ...job, tries });
      return;
    }
    this.#emit({ type: 'attempt', id, worker, atMs: attempt.atMs, attempt });
    const again: Job = { number: job.number, case: job.case, exclusive: false, lost: 0, tries, why };
    (why === 'repeat' ? this.#later : this.#isolated).push(again);
  }

  /** Tells what the attempts at a case amount to; nothing where there was none. */
  #settle({ case: { id }, tries }: Job): void {
    const last = tries.at(-1)?.attempt;
    if (!last) return;
    const result = this.#plan.annotate(id, settled(tries));
    this.#emit({ type: 'case', id, worker: last.worker, atMs: this.#at(), result });
  }

  #at = (): number => Math.round(performance.now() - this.#began);
}

const sortedAnswers = (answers: ReadonlyMap<string, ReadonlySet<string>>): Record<string, string[]> =>
  Object.fromEntries([...answers].sort().map(([name, list]) => [name, [...list].sort()]));

const failureWords = ({ code, message }: NonNullable<PluginFacts['failure']>): string =>
  `${code ? `${code}: ` : ''}${message.split('\n')[0]}`;

const isQuiet = ({ status }: Pick<CaseResult, 'status'>): boolean =>
  status === 'pass' || status === 'unsupported' || status === 'skip';

const withBriefOutput = (result: CaseResult): CaseResult => ({
  ...result,
  ...(result.stdout ? { stdout: brief(result.stdout) } : {}),
  ...(result.stderr ? { stderr: brief(result.stderr) } : {}),
});

const lastLines = (text: CapturedText | undefined): string => {
  const lines = (text ? text.head + text.tail : '').split('\n').filter((l) => l.trim() !== '');
  return lines.length === 0 ? '' : `\n${lines.slice(-20).join('\n')}`;
};
