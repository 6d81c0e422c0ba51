import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CaseResult, Event, PluginFacts } from '../report/events.ts';
import type { Case } from '../suite/types.ts';
import type { FromWorker, WirePlugin, WorkerResult } from '../wire/protocol.ts';
import { crashResult, killedFromOutside, timeoutResult, whereabouts } from './blame.ts';
import { brief } from './output-splitter.ts';
import { type Deadlines, Watchdog } from './watchdog.ts';
import { type Death, WorkerProcess } from './worker-process.ts';

/** Everything that a run needs to know. */
export interface RunPlan {
  cases: readonly Case[];
  plugins: readonly WirePlugin[];
  /** Known of the plugins before any is loaded (name, path, hash). */
  facts: readonly PluginFacts[];
  env: NodeJS.ProcessEnv;
  binding: 'now' | 'lazy';
  /** False: no client is ever created (the no-device profile). */
  clients: boolean;
  workers: number;
  deadlines: Deadlines;
  /** Adds what plugins/known says to a failed case. */
  annotate(id: string, result: CaseResult): CaseResult;
  /** Ends the run early: what is in hand is killed, the rest is not run. */
  signal: AbortSignal;
}

const WATCH_MS = 25;
/** Attempts to start a worker before it is given up. */
const MAX_FAILED_STARTS = 3;

interface Job {
  number: number;
  case: Case;
  /** Set when the case's worker was killed by somebody else: it is repeated while no other worker runs. */
  exclusive: boolean;
  /** Set when it crashed in a call: repeated once without guard pages, to tell an overrun from other crashes. */
  crashed?: { result: Omit<CaseResult, 'stdout' | 'stderr'>; output: object };
}

interface Live {
  process: WorkerProcess;
  clients: boolean;
  ready: boolean;
  guard: boolean;
  /** Killed after its case: a case with `isolation: process` has just run in it. */
  spent: boolean;
  job: Job | undefined;
  jobBegan: number;
  /** Undefined while the worker has nothing to do. */
  watchdog: Watchdog | undefined;
  /** Resolves the wait of `#execute`. */
  settle: ((end: { result: WorkerResult } | { death: Death } | 'ready') => void) | undefined;
}

/** How the start of a worker went. */
interface Start {
  live?: Live;
  facts: PluginFacts[];
  death?: Death;
}

/** Runs a plan in worker processes and tells what happens as events. Never throws because of a plugin. */
export async function runPlan(plan: RunPlan, emit: (event: Event) => void): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'pjrt-conformance-'));
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
  readonly #live = new Set<Live>();
  #facts: PluginFacts[];
  readonly #began = performance.now();
  #workers = 0;
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

  constructor(plan: RunPlan, emit: (event: Event) => void, scratch: string) {
    this.#plan = plan;
    this.#emit = emit;
    this.#scratch = scratch;
    this.#facts = [...plan.facts];
    plan.cases.forEach((testCase, i) => {
      const job = { number: i + 1, case: testCase, exclusive: false };
      (testCase.isolation === 'process' ? this.#isolated : this.#shared).push(job);
    });
  }

  async run(): Promise<void> {
    const abort = () => {
      for (const live of this.#live) live.process.kill('the run was interrupted');
    };
    this.#plan.signal.addEventListener('abort', abort);
    const watch = setInterval(() => this.#watch(), WATCH_MS);
    try {
      // One worker finds out what the plugin is before others start.
      const first = await this.#findOut();
      for (const facts of this.#facts) this.#emit({ type: 'plugin', plugin: facts });
      this.#lanes = Math.max(1, this.#plan.workers);
      await Promise.all(Array.from({ length: this.#lanes }, (_, i) => this.#lane(i === 0 ? first : undefined)));
    } finally {
      clearInterval(watch);
      this.#plan.signal.removeEventListener('abort', abort);
    }
  }

  /** Starts the first worker, and learns from it what the plugins are and whether clients can be had. */
  async #findOut(): Promise<Live | undefined> {
    for (let attempt = 1; !this.#plan.signal.aborted; attempt++) {
      const start = await this.#start(this.#plan.clients, true);
      this.#facts = start.facts;
      // Somebody else killed it: that says nothing of the plugin yet.
      if (start.death && killedFromOutside(start.death) && attempt < MAX_FAILED_STARTS) continue;
      const broken = start.facts.find((f) => f.failure);
      if (broken?.failure?.stage === 'client') {
        this.#noClient = `no client of ${broken.name}: ${failureWords(broken.failure)}`;
        this.#refused = start.death === undefined;
      } else if (broken?.failure) this.#noPlugin = `${broken.name} could not be used: ${failureWords(broken.failure)}`;
      return start.live;
    }
    return undefined;
  }

  /** One lane of the run: takes jobs until none is left, in a worker that it renews when it must. */
  async #lane(first: Live | undefined): Promise<void> {
    let live = first;
    for (;;) {
      const job = await this.#next();
      if (!job || this.#plan.signal.aborted) break;
      const reason = this.#cannotRun(job.case);
      if (reason !== undefined) {
        this.#finish(job, 0, { status: 'skip', findings: [], reason, durationMs: 0, nativeMs: 0, calls: 0 });
        this.#release(job);
        continue;
      }
      const alone = job.case.isolation === 'process';
      const clients = this.#plan.clients && this.#noClient === undefined && !(alone && job.case.client !== 'shared');
      const guard = job.crashed === undefined;
      if (live && (live.spent || alone || live.clients !== clients || live.guard !== guard)) {
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
  async #renew(clients: boolean, guard: boolean): Promise<Live | undefined> {
    const start = await this.#start(clients, guard);
    if (this.#plan.signal.aborted) return undefined;
    const broken = start.facts.find((f) => f.failure);
    if (start.live && !broken) {
      this.#failedStarts = 0;
      return start.live;
    }
    if (start.live) await this.#stop(start.live);
    const words = broken?.failure
      ? `${broken.name}: ${failureWords(broken.failure)}`
      : 'it was killed by another process';
    const last = this.#lanes <= 1;
    if (last && ++this.#failedStarts >= MAX_FAILED_STARTS) {
      if (clients) this.#noClient = `no client could be had any more after ${this.#failedStarts} attempts: ${words}`;
      else this.#noPlugin = `no worker could be started any more after ${this.#failedStarts} attempts: ${words}`;
    }
    this.#emit({
      type: 'note',
      level: 'warning',
      message: last
        ? `a worker could not start: ${words}`
        : `a further worker could not start, going on with fewer (a plugin that allows one process at a time needs --workers 1 or \`serial: true\` in its manifest): ${words}`,
    });
    return undefined;
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
      if (!job && this.#busy === 0) return undefined;
      await new Promise<void>((resolve) => this.#wakeups.push(resolve));
    }
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

  /** Starts a worker and has it load the plugins. Without `live` it died on the way; `facts` say what was learnt. */
  async #start(clients: boolean, guard: boolean): Promise<Start> {
    const process_ = new WorkerProcess(
      ++this.#workers,
      { plugins: [...this.#plan.plugins], binding: this.#plan.binding, clients, guard },
      this.#plan.env,
      this.#scratch,
    );
    const live: Live = {
      process: process_,
      clients,
      ready: false,
      guard,
      spent: false,
      job: undefined,
      jobBegan: 0,
      watchdog: new Watchdog({ ...this.#plan.deadlines, case: Number.POSITIVE_INFINITY }, performance.now()),
      settle: undefined,
    };
    this.#live.add(live);
    this.#emit({ type: 'worker', worker: process_.number, what: 'start', pid: process_.pid, atMs: this.#at() });
    const facts = structuredClone(this.#plan.facts) as PluginFacts[];
    let reached = -1;
    process_.onMessage = (message) => {
      if (message.type === 'facts') {
        reached = Math.max(reached, message.plugin);
        Object.assign(facts[message.plugin]!, message.facts);
      }
      this.#hear(live, message);
    };
    const end = await this.#wait(live, () => process_.send({ type: 'prepare' }));
    if (end === 'ready') {
      live.ready = true;
      return { live, facts };
    }
    if (!('death' in end)) throw new Error('a worker gave a result before it had a case');
    this.#live.delete(live);
    this.#goneEvent(live, end.death);
    const { text, call } = whereabouts(end.death);
    const stage = stageOf(call);
    const index = stage === 'load' ? reached + 1 : Math.max(reached, 0);
    facts[Math.min(index, facts.length - 1)]!.failure = {
      stage,
      message: `${howItEnded(end.death)} ${text}${lastLines(process_.outputSoFar(0).stderr)}`,
    };
    return { facts, death: end.death };
  }

  /** Runs one job; false when the worker is gone afterwards. */
  async #execute(live: Live, job: Job): Promise<boolean> {
    live.job = job;
    live.jobBegan = performance.now();
    const { deadline } = job.case;
    live.watchdog = new Watchdog(
      {
        ...this.#plan.deadlines,
        ...(deadline.call === undefined ? {} : { call: deadline.call }),
        ...(deadline.case === undefined ? {} : { case: deadline.case }),
      },
      live.jobBegan,
    );
    const { process: worker } = live;
    if (!job.crashed) this.#emit({ type: 'start', id: job.case.id, worker: worker.number, atMs: this.#at() });
    const end = await this.#wait(live, () => worker.send({ type: 'run', number: job.number, case: job.case }));
    const took = performance.now() - live.jobBegan;
    live.job = undefined;
    if (end !== 'ready' && 'result' in end) {
      const output = await worker.output(job.number);
      if (job.crashed) this.#finishCrash(job, worker.number, overrunHint(end.result.findings.length === 0));
      else this.#finish(job, worker.number, { ...end.result, ...output });
      return true;
    }
    if (end === 'ready') throw new Error('a worker said that it was ready in the middle of a case');
    const { death } = end;
    this.#live.delete(live);
    this.#goneEvent(live, death);
    const output = worker.outputSoFar(job.number);
    if (this.#plan.signal.aborted) return false;
    if (job.crashed) this.#finishCrash(job, worker.number, undefined);
    else if (death.killedFor !== undefined && !death.closedChannel) {
      this.#finish(job, worker.number, { ...timeoutResult(death, took, job.case.covers), ...output });
    } else if (killedFromOutside(death) && !job.exclusive) {
      this.#emit({
        type: 'note',
        level: 'warning',
        message: `a worker was killed with ${death.signal} by another process while it ran ${job.case.id}; the case is repeated alone`,
      });
      this.#requeue({ ...job, exclusive: true });
    } else {
      const result = crashResult(death, took, job.case.covers);
      const inCall = result.inFlight !== undefined && (death.signal === 'SIGSEGV' || death.signal === 'SIGBUS');
      if (inCall && !job.exclusive) this.#requeue({ ...job, crashed: { result, output } });
      else this.#finish(job, worker.number, { ...result, ...output });
    }
    return false;
  }

  #finishCrash(job: Job, worker: number, hint: string | undefined): void {
    const { result, output } = job.crashed!;
    const [finding, ...rest] = result.findings;
    const findings = hint ? [{ ...finding!, type: 'pjrt.MemoryOverrun', detail: hint }, ...rest] : result.findings;
    this.#finish(job, worker, { ...result, findings, ...output });
  }

  /** Sends something and waits for the answer, or for the worker's death. */
  async #wait(live: Live, send: () => void): Promise<{ result: WorkerResult } | { death: Death } | 'ready'> {
    const answer = new Promise<{ result: WorkerResult } | 'ready'>((resolve) => {
      live.settle = resolve as never;
    });
    send();
    const end = await Promise.race([answer, live.process.ended.then((death) => ({ death }))]);
    live.settle = undefined;
    live.watchdog = undefined;
    return end;
  }

  #hear(live: Live, message: FromWorker): void {
    if (message.type === 'result' && live.job?.number === message.number) live.settle?.({ result: message.result });
    else if (message.type === 'ready' && !live.ready) live.settle?.('ready');
  }

  /** Lets a worker destroy its clients and exit, and notes when it does not do so cleanly. */
  async #stop(live: Live): Promise<void> {
    live.job = undefined;
    live.watchdog = new Watchdog(
      { ...this.#plan.deadlines, case: this.#plan.deadlines.exit, call: this.#plan.deadlines.exit },
      performance.now(),
    );
    let stopped = false;
    live.process.onMessage = (message) => {
      if (message.type === 'stopped') stopped = true;
    };
    live.process.send({ type: 'stop' });
    const death = await live.process.ended;
    this.#live.delete(live);
    this.#goneEvent(live, death);
    if (this.#plan.signal.aborted) return;
    if (death.exitCode === 0 && stopped) return;
    const how =
      death.killedFor !== undefined
        ? `did not end within ${this.#plan.deadlines.exit / 1000} s`
        : death.signal !== undefined
          ? `died with ${death.signal}`
          : `exited with code ${death.exitCode}`;
    const when = stopped
      ? 'at process exit, after its clients had been destroyed'
      : `while its clients were being destroyed, ${whereabouts(death).text}`;
    this.#emit({
      type: 'note',
      level: 'warning',
      message: `worker ${live.process.number} ${how} ${when}`,
      ...(lastLines(live.process.outputBetween().stderr)
        ? { detail: lastLines(live.process.outputBetween().stderr) }
        : {}),
    });
  }

  #goneEvent(live: Live, death: Death): void {
    this.#emit({
      type: 'worker',
      worker: live.process.number,
      what: 'exit',
      pid: live.process.pid,
      atMs: this.#at(),
      ...(death.signal ? { signal: death.signal } : {}),
      ...(death.exitCode === undefined ? {} : { exitCode: death.exitCode }),
      ...(death.killedFor ? { note: death.killedFor } : {}),
    });
  }

  #finish(job: Job, worker: number, whole: CaseResult): void {
    const quiet = whole.status === 'pass' || whole.status === 'unsupported' || whole.status === 'skip';
    const result = quiet ? withBriefOutput(whole) : whole;
    this.#emit({
      type: 'case',
      id: job.case.id,
      worker,
      atMs: this.#at(),
      result: this.#plan.annotate(job.case.id, result),
    });
  }

  #watch(): void {
    const now = performance.now();
    for (const live of this.#live) {
      const reason = live.watchdog?.look(live.process.crumb(), now);
      if (reason !== undefined) live.process.kill(reason);
    }
  }

  #at = (): number => Math.round(performance.now() - this.#began);
}

const failureWords = ({ code, message }: NonNullable<PluginFacts['failure']>): string =>
  `${code ? `${code}: ` : ''}${message.split('\n')[0]}`;

const howItEnded = ({ killedFor, signal, exitCode }: Death): string =>
  killedFor ?? (signal === undefined ? `the process exited with code ${exitCode}` : `the process died with ${signal}`);

const withBriefOutput = (result: CaseResult): CaseResult => ({
  ...result,
  ...(result.stdout ? { stdout: brief(result.stdout) } : {}),
  ...(result.stderr ? { stderr: brief(result.stderr) } : {}),
});

const stageOf = (call: string | undefined): 'load' | 'initialize' | 'client' =>
  call === undefined || call === 'dlopen' || call === 'GetPjrtApi'
    ? 'load'
    : call === 'PJRT_Plugin_Initialize' || call === 'PJRT_Plugin_Attributes'
      ? 'initialize'
      : 'client';

const lastLines = (text: { head: string; tail: string } | undefined): string => {
  const lines = (text ? text.head + text.tail : '').split('\n').filter((l) => l.trim() !== '');
  return lines.length === 0 ? '' : `\n${lines.slice(-20).join('\n')}`;
};

const overrunHint = (clean: boolean): string =>
  `The same case ${clean ? 'passes' : 'does not crash'} when readable memory follows the argument structs: the plugin reads or writes past the struct_size it was given.`;
