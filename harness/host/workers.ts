import { setTimeout as sleep } from 'node:timers/promises';
import type { NoteFact } from '../model/note-fact.ts';
import { type PluginFacts, refusalProblem } from '../model/plugin-facts.ts';
import { badEndOf, endOf, howItDied, killedFromOutside, lastCallOf, lossText, stageOf } from './blame.ts';
import { Comeback, type Lost, lostText } from './comeback.ts';
import { type Deadlines, inEffect, seconds } from './deadlines.ts';
import { DEBUGGERS } from './debuggers/kinds.ts';
import { attachDebugger, type Debugger } from './debuggers/session.ts';
import { Escapees } from './escapees.ts';
import type { FilesWatch } from './files-watch.ts';
import { forkWorker } from './fork-worker.ts';
import { Leniency } from './leniency.ts';
import { LiveWorker, type WorkerKind } from './live-worker.ts';
import { MemoryLimit } from './memory-limit.ts';
import type { PluginKnowledge } from './plugin-knowledge.ts';
import { resetDevices } from './reset-devices.ts';
import { lastLines, type RunNotes } from './run-notes.ts';
import type { RunContext } from './run-plan.ts';
import { uncaughtException } from './uncaught-exception.ts';
import { WatchClock } from './watch-clock.ts';
import { type Death, WorkerProcess } from './worker-process.ts';

/** Time for a process to start, apart from native calls, which have deadlines of their own. */
const START_MS = 120_000;

const MADE_ROOM = 'a case needed the memory';

/** Between two looks at a worker that starts. */
const WAIT_MS = 10;

/** Every so often a watch looks at more than deadlines. */
const LOOK_TICKS = 20;

/** Result of starting a worker. */
interface Start {
  live?: LiveWorker;
  facts: PluginFacts[];
  death?: Death;
}

/** The worker processes of a run: how they start and end, and the notes on that. */
export class Workers {
  readonly #context: RunContext;
  readonly #knowledge: PluginKnowledge;
  readonly #notes: RunNotes;
  readonly #files: FilesWatch | undefined;
  readonly #live = new Set<LiveWorker>();
  readonly #deadlines: Deadlines;
  readonly #leniency: Leniency;
  readonly comeback = new Comeback();
  readonly #clock = new WatchClock();
  readonly #memory = new MemoryLimit();
  readonly #escapees: Escapees;
  #ticks = 0;
  /** Whether a worker is in a debugger: then no deadline passes. */
  #debugging = false;
  /** Whether the client of an unused worker transfers to its device and back; undefined while nobody has asked. */
  #transfers: boolean | undefined;
  /** Why clients could not be destroyed: each worker would say the same. */
  readonly #undestroyed = new Set<string>();
  #count: number;
  /** One crashed or hung on exit: later ones are killed instead, because each would take as long. */
  #exitBadly = false;

  constructor(context: RunContext, knowledge: PluginKnowledge, notes: RunNotes, files?: FilesWatch) {
    this.#files = files;
    this.#context = context;
    this.#knowledge = knowledge;
    this.#notes = notes;
    this.#count = context.plan.before?.workers ?? 0;
    this.#deadlines = inEffect(context.plan.deadlines);
    this.#leniency = new Leniency((message) => notes.warn(message));
    this.#escapees = new Escapees(notes);
  }

  /** Kills workers that have missed a deadline. */
  watch(): void {
    this.#clock.tick(!this.#debugging);
    const looks = this.#ticks++ % LOOK_TICKS === 0;
    for (const live of this.#live) {
      if (looks) live.process.look();
      live.process.attend();
      live.enforceDeadlines();
    }
  }

  killAll(reason: string): void {
    for (const live of this.#live) live.process.kill(reason);
  }

  /** Ends all others, which are idle, so that a case has all memory to itself. */
  async makeRoomFor(one: LiveWorker | undefined): Promise<void> {
    const others = [...this.#live].filter((live) => live !== one);
    for (const { process } of others) process.kill(MADE_ROOM);
    await Promise.all(others.map(({ process }) => process.ended));
  }

  /** Ends processes that the plugin has left behind. */
  end(): Promise<void> {
    return this.#escapees.end();
  }

  /** Starts a worker and loads the plugins in it. Without `live` it died on the way; `facts` are what is known. */
  async start(kind: WorkerKind): Promise<Start> {
    const { plan, emit, at } = this.#context;
    const { clients, repeatsCrash } = kind;
    if (plan.resetCommand !== undefined && this.comeback.resetDue) await this.#reset(plan.resetCommand);
    const worker = new WorkerProcess(
      ++this.#count,
      {
        plugins: [...plan.plugins],
        binding: plan.binding,
        caller: plan.caller,
        clients,
        ...(repeatsCrash ? { repeatsCrash } : {}),
        ...(plan.listen ? { trace: true } : {}),
        ...(plan.recording === undefined ? {} : { recording: plan.recording }),
        ...(plan.debugger ? { stopAt: plan.debugger.stop } : {}),
      },
      plan.early?.take(plan) ?? forkWorker(plan),
      { memory: this.#memory, listen: plan.listen, examine: plan.examine, traceable: plan.debugger !== undefined },
    );
    const facts = structuredClone(plan.facts) as PluginFacts[];
    const live = new LiveWorker(
      worker,
      kind,
      facts,
      { leniency: this.#leniency, comeback: this.comeback },
      this.#clock,
    );
    live.onAnswers = (answers) => this.#knowledge.recordAnswers(answers);
    this.#live.add(live);
    this.#escapees.watch(worker);
    emit({ type: 'worker', worker: worker.number, what: 'start', pid: worker.pid, atMs: at() });
    if (plan.debugger) await this.#debug(live, plan.debugger);
    const limits = { ...this.#deadlines, case: Math.max(this.#deadlines.case, START_MS) };
    const end = await live.ask({ type: 'prepare' }, limits);
    if (end.type !== 'death') {
      const mapped = this.#files?.look(
        worker,
        facts.every(({ failure }) => failure?.stage !== 'load'),
      );
      if (mapped?.length) facts[0]!.mapped = mapped;
      if (clients) this.#created(facts.every(({ failure }) => failure === undefined));
      return { live, facts };
    }
    this.reportEnd(live, end.death);
    this.#notes.backtrace(live, end.death);
    const stage = stageOf(lastCallOf(end.death).call);
    const loaded = facts.filter((f) => f.apiVersion).length;
    const index = stage === 'load' ? loaded : Math.max(loaded - 1, 0);
    const output = worker.outputSoFar(0).stderr;
    const stderr = lastLines(output);
    const { fault } = end.death;
    const exception = uncaughtException(output);
    facts[Math.min(index, facts.length - 1)]!.failure = {
      stage,
      ended: fault !== undefined ? 'fault' : end.death.missed ? 'hang' : 'death',
      message: `${endOf(end.death)}${exception ? ` because of ${exception}` : ''}${this.#moreTime(end.death)}${stderr}`,
      ...refusalProblem(stderr),
    };
    return { facts, death: end.death };
  }

  /** Lets a worker destroy its clients and exit, and adds a note if it does not do so cleanly. */
  async stop(live: LiveWorker): Promise<void> {
    const { signal } = this.#context.plan;
    const deadlines = this.#deadlines;
    if (live.process.dead) {
      const death = await live.process.ended;
      if (death.killedFor === MADE_ROOM) this.#emitExit(live, death);
      else this.reportIdleDeath(live, death);
      return;
    }
    // Plugins also load libraries when they first need them.
    this.#files?.look(live.process, false);
    const { death, stopped, problem, peakRssBytes } = await live.stop(deadlines, this.#exitBadly);
    if (death.killedFor === MADE_ROOM) {
      this.#emitExit(live, death);
      return;
    }
    this.reportEnd(live, death, peakRssBytes, stopped);
    if (problem !== undefined && !this.#undestroyed.has(problem)) {
      this.#undestroyed.add(problem);
      this.#notes.warn(`the client of worker ${live.process.number} could not be destroyed: ${problem}`);
    }
    if (signal.aborted || death.fault !== undefined || (stopped && (this.#exitBadly || death.exitCode === 0))) return;
    const how = death.killedFor === undefined ? howItDied(death) : `did not end within ${deadlines.exit / 1000} s`;
    const when = stopped
      ? 'at process exit, after its clients had been destroyed; further workers are killed instead of being let exit'
      : `while its clients were being destroyed, ${lastCallOf(death).text}`;
    this.#exitBadly ||= stopped;
    const fact = { kind: stopped ? 'exit' : 'clients', ...badEndOf(death, deadlines.exit) } as const;
    const { stderr } = live.process.outputBetween();
    this.#notes.warn(`worker ${live.process.number} ${how} ${when}`, { breach: !stopped, stderr, fact });
    this.#notes.backtrace(live, death);
  }

  /**
   * Whether the shared client of a worker in quarantine still transfers after cases that may have harmed it. If not, the worker
   * is ended. A plugin whose first worker in quarantine does not transfer either is not asked again.
   */
  async isHealthy(live: LiveWorker): Promise<boolean> {
    if (!live.clients || this.#transfers === false || (live.cases === 0 && this.#transfers)) return true;
    const { exit } = this.#deadlines;
    const end = await live.ask({ type: 'check' }, { ...this.#deadlines, first: exit, call: exit, case: 2 * exit });
    const healthy = end.type === 'checked' && end.healthy;
    if (live.cases === 0) {
      this.#transfers = healthy;
      if (end.type === 'death') this.reportEnd(live, end.death);
      return end.type === 'checked';
    }
    if (healthy || this.#context.plan.signal.aborted) return healthy;
    const how = end.type === 'death' ? `${endOf(end.death)}` : 'its client no longer transferred';
    this.#notes.warn(`worker ${live.process.number} was replaced after ${live.last}: ${how}`);
    if (end.type === 'death') this.#emitExit(live, end.death);
    else await this.stop(live);
    return false;
  }

  /** Kills a worker that is of no use after a finished case, without recording calls that are still running as hanging. */
  async discard(live: LiveWorker, why: string): Promise<void> {
    live.process.kill(why);
    this.#emitExit(live, await live.process.ended);
  }

  /** A worker died in a case that is repeated in another process, which will say why. */
  forget(live: LiveWorker, death: Death): void {
    this.#emitExit(live, death);
  }

  /** A worker has created its clients, or was refused one. */
  #created(all: boolean): void {
    if (!all) {
      this.comeback.refused();
      return;
    }
    const lost = this.comeback.cameBack();
    if (lost)
      this.#notes.warn(`a client could be created again, for the first time since ${lostText(lost)}`, {
        fact: lostFact(lost, true),
      });
  }

  /**
   * No client can be created: says so at once if that is since the death of a worker.
   * @param again whether it is tried again
   * @returns the death, in words
   */
  nameLost(words: string, again: boolean): string | undefined {
    const { lost } = this.comeback;
    if (!lost) return undefined;
    const since = lostText(lost);
    if (this.comeback.name()) {
      const next = again ? `; it is tried again, with the deadline of ${seconds(this.#deadlines.clientCreate)}` : '';
      const advice =
        this.#context.plan.resetCommand === undefined
          ? '. If a command brings the device back, --reset-command runs it after each death'
          : '';
      this.#notes.warn(`no client can be created since ${since}: ${words}${next}${advice}`, { fact: lostFact(lost) });
    }
    return since;
  }

  /** What sanitizers have reported since they were last asked belongs to no case. */
  sanitize(live: LiveWorker, when: string): void {
    const reports = this.#context.plan.sanitizers?.take(live.process.pid) ?? [];
    this.#notes.sanitizer(live, reports, when);
  }

  /** Puts a new worker into the debugger before it loads anything; one that records has it from its beginning. */
  async #debug({ process }: LiveWorker, how: Debugger): Promise<void> {
    const { plan } = this.#context;
    this.#debugging = DEBUGGERS[how.name].recording !== undefined;
    if (this.#debugging) return;
    // From then on it lets debuggers attach.
    while (!process.dead && !plan.signal.aborted && process.crumb() === undefined) await sleep(WAIT_MS);
    if (process.dead || plan.signal.aborted) return;
    this.#debugging = true;
    const { attached, ended } = await attachDebugger(how, process.pid, plan, plan.signal);
    if (attached) this.#notes.debugged(how.name);
    else this.#notes.warn(notAttached(how.name, process.number));
    process.inDebugger(ended);
    void ended.then(() => {
      this.#debugging = false;
    });
  }

  async #reset(command: string): Promise<void> {
    const { plan } = this.#context;
    const { output, ms, ...end } = await resetDevices(command, plan, plan.signal);
    this.comeback.wasReset();
    if (!plan.signal.aborted) this.#notes.reset(end, ms, output);
  }

  #moreTime({ missed }: Death): string {
    if (missed?.deadline === 'clientCreate' && this.comeback.lost) return '';
    const hint = missed && this.#context.plan.moreTime?.(missed);
    return hint ? ` (${hint})` : '';
  }

  /** A worker that died while idle. */
  reportIdleDeath(live: LiveWorker, death: Death): void {
    this.reportEnd(live, death);
    if (this.#context.plan.signal.aborted || death.fault !== undefined) return;
    const after = live.last === undefined ? 'before its first case' : `after ${live.last}`;
    this.#notes.warn(
      `worker ${live.process.number} ${howItDied(death)} between two cases, ${after}, with no native call in progress`,
      {
        breach: !killedFromOutside(death),
        stderr: live.process.outputBetween().stderr,
        fact: { kind: 'idle' },
      },
    );
    this.#notes.backtrace(live, death);
  }

  /** Emits the end of a worker, and records the call in which it died. */
  reportEnd(live: LiveWorker, death: Death, peakRssBytes?: number, orderly = false): void {
    const { call } = lastCallOf(death);
    if (
      call !== undefined &&
      death.fault === undefined &&
      !death.channel &&
      !killedFromOutside(death) &&
      !this.#context.plan.signal.aborted
    ) {
      this.#knowledge.recordAnswers({ [call]: [death.killedFor ? 'HANG' : 'DEATH'] });
    }
    this.#emitExit(live, death, peakRssBytes, orderly);
  }

  /** @param orderly whether its clients had been destroyed */
  #emitExit(live: LiveWorker, death: Death, peakRssBytes?: number, orderly = false): void {
    const { emit, at } = this.#context;
    this.#live.delete(live);
    this.#escapees.after(live);
    this.sanitize(live, live.last === undefined ? 'before its first case' : `after ${live.last}, its last case`);
    if (!orderly) this.comeback.died(live.process.number, live.last, death);
    if (death.fault !== undefined) this.#notes.failed(`worker ${live.process.number}: ${endOf(death)}`, death.fault);
    if (death.memory) {
      const text = `the kernel killed worker ${live.process.number} for want of memory: ${lossText(death.memory)}`;
      this.#notes.warn(text, { fact: { kind: 'memory' } });
    }
    if (death.stillAlive) {
      this.#notes.warn(
        `worker ${live.process.number} (process ${live.process.pid}) was killed but still exists: a driver or a debugger holds it`,
      );
    }
    emit({
      type: 'worker',
      worker: live.process.number,
      what: 'exit',
      pid: live.process.pid,
      atMs: at(),
      signal: death.signal,
      exitCode: death.exitCode,
      ...(death.killedFor ? { note: death.killedFor } : {}),
      peakRssBytes,
    });
  }
}

const notAttached = (name: string, worker: number): string =>
  `${name} did not attach to worker ${worker}, which goes on without it: the system may not permit it (a container needs --cap-add=SYS_PTRACE; doctor says what is permitted)`;

const lostFact = ({ worker, case: last }: Lost, back = false): NoteFact => ({
  kind: 'lost',
  worker,
  ...(last === undefined ? {} : { case: last }),
  ...(back ? { back } : {}),
});
