import type { PluginFacts } from '../model/plugin-facts.ts';
import { refusalProblem } from '../model/refusal-problem.ts';
import { badEndOf, endOf, howItDied, killedFromOutside, stageOf, whereabouts } from './blame.ts';
import { type Deadlines, inEffect } from './deadlines.ts';
import { Leniency } from './leniency.ts';
import { LiveWorker, type WorkerKind } from './live-worker.ts';
import type { PluginKnowledge } from './plugin-knowledge.ts';
import { lastLines, type RunNotes } from './run-notes.ts';
import type { RunContext } from './run-plan.ts';
import { type Death, WorkerProcess } from './worker-process.ts';

/** A process may take so long to get ready outside native calls, which have deadlines of their own. */
const START_MS = 120_000;

/** How the start of a worker went. */
export interface Start {
  live?: LiveWorker;
  facts: PluginFacts[];
  death?: Death;
}

/** The worker processes of a run: how they begin and end, and what is said of that. */
export class Workers {
  readonly #context: RunContext;
  readonly #knowledge: PluginKnowledge;
  readonly #notes: RunNotes;
  readonly #scratch: string;
  readonly #live = new Set<LiveWorker>();
  readonly #deadlines: Deadlines;
  readonly #leniency: Leniency;
  #count: number;
  /** One did not survive its own exit: later ones are killed instead, or every one of them would take as long. */
  #exitBadly = false;

  /** @param scratch folder for files that workers and parent share */
  constructor(context: RunContext, knowledge: PluginKnowledge, notes: RunNotes, scratch: string) {
    this.#context = context;
    this.#knowledge = knowledge;
    this.#notes = notes;
    this.#scratch = scratch;
    this.#count = context.plan.before?.workers ?? 0;
    this.#deadlines = inEffect(context.plan.deadlines);
    this.#leniency = new Leniency((message) => notes.warn(message));
  }

  /** Kills those that have missed a deadline. */
  watch(): void {
    for (const live of this.#live) live.look(performance.now());
  }

  killAll(reason: string): void {
    for (const live of this.#live) live.process.kill(reason);
  }

  /** Starts one and has it load the plugins. Without `live` it died on the way; `facts` say what was learnt. */
  async start(kind: WorkerKind): Promise<Start> {
    const { plan, emit, at } = this.#context;
    const { clients, guard } = kind;
    const worker = new WorkerProcess(
      ++this.#count,
      {
        plugins: [...plan.plugins],
        binding: plan.binding,
        caller: plan.caller,
        clients,
        guard,
        ...(plan.listen ? { trace: true } : {}),
      },
      plan.env,
      this.#scratch,
      plan.listen,
    );
    const facts = structuredClone(plan.facts) as PluginFacts[];
    const live = new LiveWorker(worker, kind, facts, this.#leniency);
    live.onAnswers = (answers) => this.#knowledge.hear(answers);
    this.#live.add(live);
    emit({ type: 'worker', worker: worker.number, what: 'start', pid: worker.pid, atMs: at() });
    const limits = { ...this.#deadlines, case: Math.max(this.#deadlines.case, START_MS) };
    const end = await live.ask({ type: 'prepare' }, limits);
    if (end.type !== 'death') return { live, facts };
    this.bury(live, end.death);
    const stage = stageOf(whereabouts(end.death).call);
    const loaded = facts.filter((f) => f.apiVersion).length;
    const index = stage === 'load' ? loaded : Math.max(loaded - 1, 0);
    const stderr = lastLines(worker.outputSoFar(0).stderr);
    facts[Math.min(index, facts.length - 1)]!.failure = {
      stage,
      ended: end.death.missed ? 'hang' : 'death',
      message: `${endOf(end.death)}${this.#moreTime(end.death)}${stderr}`,
      ...refusalProblem(stderr),
    };
    return { facts, death: end.death };
  }

  /** Lets one destroy its clients and exit, and notes when it does not do so cleanly. */
  async stop(live: LiveWorker): Promise<void> {
    const { signal } = this.#context.plan;
    const deadlines = this.#deadlines;
    if (live.process.dead) {
      this.buryIdle(live, await live.process.ended);
      return;
    }
    const { death, stopped, problem, peakRssBytes } = await live.stop(deadlines, this.#exitBadly);
    this.bury(live, death, peakRssBytes);
    if (problem !== undefined)
      this.#notes.warn(`the client of worker ${live.process.number} could not be destroyed: ${problem}`);
    if (signal.aborted || (stopped && (this.#exitBadly || death.exitCode === 0))) return;
    const how = death.killedFor === undefined ? howItDied(death) : `did not end within ${deadlines.exit / 1000} s`;
    const when = stopped
      ? 'at process exit, after its clients had been destroyed; further workers are killed instead of being let exit'
      : `while its clients were being destroyed, ${whereabouts(death).text}`;
    this.#exitBadly ||= stopped;
    const fact = { kind: stopped ? 'exit' : 'clients', ...badEndOf(death, deadlines.exit) } as const;
    const { stderr } = live.process.outputBetween();
    this.#notes.warn(`worker ${live.process.number} ${how} ${when}`, { breach: !stopped, stderr, fact });
  }

  /** Kills one in which calls of a finished case are still running; that says nothing about these calls. */
  async discard(live: LiveWorker): Promise<void> {
    live.process.kill('calls of its last case were still running');
    this.#gone(live, await live.process.ended);
  }

  #moreTime({ missed }: Death): string {
    const hint = missed && this.#context.plan.moreTime?.(missed);
    return hint ? ` (${hint})` : '';
  }

  /** One that died while it had nothing to do. */
  buryIdle(live: LiveWorker, death: Death): void {
    this.bury(live, death);
    if (this.#context.plan.signal.aborted) return;
    const after = live.last === undefined ? 'before its first case' : `after ${live.last}`;
    this.#notes.warn(
      `worker ${live.process.number} ${howItDied(death)} between two cases, ${after}, with no native call in progress`,
      {
        breach: !killedFromOutside(death),
        stderr: live.process.outputBetween().stderr,
        fact: { kind: 'idle' },
      },
    );
  }

  /** Reports the end of one, and in which call it died. */
  bury(live: LiveWorker, death: Death, peakRssBytes?: number): void {
    const { call } = whereabouts(death);
    if (call !== undefined && !killedFromOutside(death) && !this.#context.plan.signal.aborted) {
      this.#knowledge.hear({ [call]: [death.killedFor ? 'HANG' : 'DEATH'] });
    }
    this.#gone(live, death, peakRssBytes);
  }

  #gone(live: LiveWorker, death: Death, peakRssBytes?: number): void {
    const { emit, at } = this.#context;
    this.#live.delete(live);
    if (death.unburied) {
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
      ...(death.signal ? { signal: death.signal } : {}),
      ...(death.exitCode === undefined ? {} : { exitCode: death.exitCode }),
      ...(death.killedFor ? { note: death.killedFor } : {}),
      ...(peakRssBytes === undefined ? {} : { peakRssBytes }),
    });
  }
}
