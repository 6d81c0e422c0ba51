import { counted } from '../base/counted.ts';
import type { CaseResult } from '../model/case-result.ts';
import type { Event } from '../model/events.ts';
import { isAsBad, type Status } from '../model/status.ts';
import { killedFromOutside } from './blame.ts';
import { Budget } from './budget.ts';
import { CaseEnds, isQuiet } from './case-ends.ts';
import { isOpen } from './crash-inquiry.ts';
import { inEffect } from './deadlines.ts';
import { FilesWatch } from './files-watch.ts';
import { findOut } from './find-out.ts';
import { type Job, JobQueue, type Ran } from './job-queue.ts';
import type { LiveWorker, WorkerKind } from './live-worker.ts';
import { OrderInquiry } from './order-inquiry.ts';
import { failureWords, PluginKnowledge } from './plugin-knowledge.ts';
import { Quarantine } from './quarantine.ts';
import { RunNotes } from './run-notes.ts';
import type { RunContext, RunPlan } from './run-plan.ts';
import { withReports } from './sanitizers/with-reports.ts';
import { withOutput } from './with-output.ts';
import type { Death } from './worker-process.ts';
import { Workers } from './workers.ts';

const WATCH_MS = 25;
/** Attempts to start a worker before giving up. */
const MAX_FAILED_STARTS = 3;
/** The same if it hangs: each attempt costs a deadline. */
const MAX_HUNG_STARTS = 2;

/** How often a case is moved to another worker because its worker died before the case began. */
const MAX_LOST = 3;

/**
 * Runs a plan in worker processes and reports it as events. Never throws because of a plugin. Any other error, such as an event
 * that `emit` cannot write because the disk is full, ends the run like an interruption, and is thrown when no worker is left.
 */
export async function runPlan(plan: RunPlan, emit: (event: Event) => void): Promise<void> {
  const began = performance.now() - (plan.before?.ms ?? 0);
  const stop = new AbortController();
  let failure: { error: unknown } | undefined;
  const fail = (error: unknown): void => {
    failure ??= { error };
    stop.abort();
  };
  const guarded = (event: Event): void => {
    if (failure) return;
    try {
      emit(event);
    } catch (error) {
      fail(error);
    }
  };
  const at = (): number => Math.round(performance.now() - began);
  const budget = plan.budget && new Budget(plan.budget.ms, at);
  const signals = [plan.signal, stop.signal, ...(budget ? [budget.over] : [])];
  const stoppable = { ...plan, signal: AbortSignal.any(signals) };
  budget?.begin();
  await new Runner({ plan: stoppable, emit: guarded, fail, at, budget }).run();
  budget?.end();
  if (failure) throw failure.error;
}

const diedBefore = ({ number }: Job, { crumb, killedFor, channel }: Death): boolean =>
  crumb?.caseNumber !== number && crumb?.damaged !== true && (killedFor === undefined || channel !== undefined);

/** The lanes of a run, each with a worker of its own. */
class Runner {
  readonly #context: RunContext;
  readonly #plan: RunPlan;
  readonly #queue: JobQueue;
  readonly #knowledge: PluginKnowledge;
  readonly #notes: RunNotes;
  readonly #files: FilesWatch | undefined;
  readonly #workers: Workers;
  readonly #quarantine: Quarantine;
  readonly #ends: CaseEnds;
  readonly #order: OrderInquiry;
  /** Lanes that still take jobs. */
  #lanes = 0;
  #failedStarts = 0;
  /** Whether something that the plugin wrote to standard output has become a finding. */
  readonly #output = { printed: false };

  constructor(context: RunContext) {
    this.#context = context;
    this.#plan = context.plan;
    const { cases, signal, partOf } = context.plan;
    this.#quarantine = new Quarantine(context.plan);
    this.#queue = new JobQueue(cases, signal, this.#quarantine.isolates, partOf);
    this.#knowledge = new PluginKnowledge(context);
    this.#notes = new RunNotes(context);
    const { watched } = context.plan;
    this.#files = watched && new FilesWatch(watched, (message, more) => this.#notes.warn(message, more));
    this.#workers = new Workers(context, this.#knowledge, this.#notes, this.#files);
    this.#ends = new CaseEnds(context, this.#queue, this.#notes, this.#quarantine);
    this.#order = new OrderInquiry(context);
  }

  async run(): Promise<void> {
    const abort = () => this.#workers.killAll('the run was interrupted');
    this.#plan.signal.addEventListener('abort', abort);
    const watch = setInterval(() => this.#workers.watch(), WATCH_MS);
    const { fail } = this.#context;
    try {
      // One worker finds out what the plugin is before others start.
      const parts = { knowledge: this.#knowledge, workers: this.#workers, notes: this.#notes };
      const first = await findOut(this.#context, parts);
      this.#knowledge.emitFacts();
      this.#lanes = Math.max(1, this.#plan.workers);
      const lanes = Array.from({ length: this.#lanes }, (_, i) => this.#lane(i, i === 0 ? first : undefined));
      await Promise.all(lanes.map((lane) => lane.catch(fail)));
      // The attempts of an interrupted case still count.
      for (const job of this.#queue.left) this.#ends.abandon(job);
      const { budget } = this.#context;
      if (budget) this.#notes.leftOut(budget.leftOut, this.#plan.cases.length);
      if (this.#files) this.#knowledge.recordMapped(await this.#files.end());
    } catch (error) {
      fail(error);
    } finally {
      this.#workers.killAll('the run has ended');
      clearInterval(watch);
      await this.#workers.end();
      this.#plan.signal.removeEventListener('abort', abort);
    }
  }

  /** One lane of the run: takes jobs until none are left, in a worker that is replaced when necessary. */
  async #lane(lane: number, first: LiveWorker | undefined): Promise<void> {
    let live = first;
    let repetition: Job | undefined;
    for (;;) {
      // At once: until it ends, nobody knows how the case ended.
      const job = repetition ?? (await this.#queue.next(lane));
      repetition = undefined;
      if (job && this.#plan.signal.aborted) this.#ends.abandon(job);
      if (!job || this.#plan.signal.aborted) break;
      if (this.#ends.crowded && this.#lanes > 1) {
        this.#queue.requeue(job);
        this.#queue.release(job);
        this.#lanes--;
        break;
      }
      const reason = this.#knowledge.obstacle(job.case);
      if (reason !== undefined || this.#context.budget?.spent) {
        this.#ends.abandon(this.#withoutVictim(job), reason);
        this.#queue.release(job);
        continue;
      }
      const alone = this.#quarantine.alone(job);
      const kind = this.#kindFor(job);
      if (job.loss || job.crowded) await this.#workers.makeRoomFor(live);
      live = await this.#workerFor(kind, alone, live);
      if (!live) {
        this.#queue.requeue(job);
        this.#queue.release(job);
        if (this.#lanes > 1) {
          this.#lanes--;
          return;
        }
        continue;
      }
      const end = await this.#execute(live, job);
      if (alone || kind.repeatsCrash || this.#order.isCulprit(job.case)) live.spent = true;
      if (!end.survived) live = undefined;
      repetition = end.repetition;
      if (end.passed) {
        // A plugin may allow one process only.
        if (live) await this.#workers.stop(live);
        live = undefined;
        await this.#inquire(job, end.passed);
      }
      if (!repetition) this.#queue.release(job);
    }
    if (live) await this.#workers.stop(live);
  }

  /** A job whose earlier end in the creation of a client is known to be the doing of another's death. */
  #withoutVictim(job: Job): Job {
    const { crash, doubt, ...rest } = job;
    const ended = crash ?? doubt?.result;
    return ended && this.#workers.comeback.explainsResult(job.case.id, ended) ? rest : job;
  }

  #kindFor({ case: { isolation, client }, crash }: Job): WorkerKind {
    return {
      clients: this.#knowledge.clients && !(isolation !== 'worker' && client !== 'shared'),
      ...(crash ? { repeatsCrash: true } : {}),
      round: this.#queue.round,
      quarantine: isolation !== 'worker',
    };
  }

  /** The worker of a lane if it can take the job, or another in its place; undefined if none can be started. */
  async #workerFor(kind: WorkerKind, alone: boolean, before: LiveWorker | undefined): Promise<LiveWorker | undefined> {
    let live = before;
    if (live && (alone || live.spent || live.process.dead || !live.takes(kind))) {
      await this.#workers.stop(live);
      live = undefined;
    }
    if (!live && !kind.clients && !(await this.#comesBack(kind))) return undefined;
    // The run may have been interrupted while the last worker was exiting.
    if (!this.#plan.signal.aborted) live ??= await this.#renew(kind);
    if (!live || !kind.quarantine || alone || (await this.#workers.isHealthy(live))) return live;
    if (live.cases > 0) this.#quarantine.lose();
    return this.#plan.signal.aborted ? undefined : this.#renew(kind);
  }

  /** Whether cases can create clients of their own after a death: a worker with clients shows it, so that none of them is blamed. */
  async #comesBack(kind: WorkerKind): Promise<boolean> {
    if (!this.#knowledge.clients || !this.#workers.comeback.lost) return true;
    const live = await this.#renew({ ...kind, clients: true });
    if (live) await this.#workers.stop(live);
    return live !== undefined;
  }

  /**
   * Starts a worker after the first one. If it cannot do what the first one could (a plugin may allow only one process, or be
   * left unusable by a crash), its lane ends; the last lane retries a few times before it gives up.
   */
  async #renew(kind: WorkerKind): Promise<LiveWorker | undefined> {
    const start = await this.#workers.start(kind);
    if (this.#plan.signal.aborted) return start.live;
    const violated = start.facts.find((f) => f.failure);
    if (start.live && !violated) {
      this.#failedStarts = 0;
      return start.live;
    }
    if (start.live) await this.#workers.stop(start.live);
    const words = violated?.failure
      ? `${violated.name}: ${failureWords(violated.failure)}`
      : 'it was killed by another process';
    const enough = start.death?.missed ? MAX_HUNG_STARTS : MAX_FAILED_STARTS;
    const again = this.#lanes === 1 && this.#failedStarts + 1 < enough;
    const since = kind.clients ? this.#workers.nameLost(words, again) : undefined;
    if (this.#lanes > 1) {
      if (since === undefined) {
        this.#notes.warn(
          `another worker could not start, continuing with fewer (a plugin that allows only one process needs --workers 1 or \`serial: true\` in its manifest): ${words}`,
        );
      }
      return undefined;
    }
    if (since === undefined) this.#notes.warn(`a worker could not start: ${words}`);
    if (++this.#failedStarts >= enough) {
      const attempts = `after ${this.#failedStarts} attempts: ${words}`;
      const message =
        since !== undefined
          ? `no client can be created since ${since}; given up ${attempts}`
          : `could not ${kind.clients ? 'create a client' : 'start a worker'} ${attempts}`;
      this.#knowledge.giveUp({ clients: kind.clients, lost: since !== undefined }, message, violated);
      this.#failedStarts = 0;
    }
    return undefined;
  }

  /**
   * Runs one job. @returns whether the worker is alive afterwards; the job again if its result is in doubt; and how it `passed` that
   * failed after others, so that it is not known yet what its result is
   */
  async #execute(
    live: LiveWorker,
    job: Job,
  ): Promise<{ survived: boolean; repetition?: Job; passed?: { worker: number; result: CaseResult } }> {
    const { process: worker } = live;
    const { emit, at } = this.#context;
    const began = performance.now();
    const repeats = job.crash !== undefined || job.doubt !== undefined || job.exclusive === true;
    if (!job.crash && !job.doubt) emit({ type: 'start', id: job.case.id, worker: worker.number, atMs: at() });
    const deadlines = inEffect(this.#plan.deadlines, job.case.deadline);
    this.#workers.sanitize(
      live,
      live.last === undefined ? 'before its first case' : `between ${live.last} and ${job.case.id}`,
    );
    const end = await live.ask(
      { type: 'run', number: job.number, case: job.case, avoided: repeats ? [] : this.#knowledge.avoided },
      deadlines,
    );
    const earlier = live.ran.length;
    live.ran.push({ number: job.number, case: job.case });
    const repeated = (result: CaseResult): { repetition?: Job } => {
      if (!this.#quarantine.doubts(job, earlier, result) && !this.#order.doubts(job, earlier, result)) return {};
      const ran = live.ran.slice(0, earlier);
      const crash = job.case.isolation === 'worker' && isOpen(result) ? { crash: result } : {};
      return { repetition: { ...job, ...crash, doubt: { result, worker: worker.number, ran } } };
    };
    const doubted = job.case.isolation === 'worker' ? job.doubt?.result.status : undefined;
    if (end.type === 'result') {
      const { spent, ...result } = end.result;
      // At once: a worker that dies now takes its trace along.
      const trace = worker.trace();
      const crumb = worker.crumb();
      const damaged = crumb?.damaged === true;
      if (damaged) this.#notes.damage(live, job.case.id);
      const output = await worker.output(job.number);
      const reports = this.#plan.sanitizers?.take(worker.pid, output.stderr) ?? [];
      const whole = withReports(withOutput(this.#output, job.case, result, output), job.case, reports, crumb);
      if (!isQuiet(whole)) whole.trace = trace;
      this.#notes.closedStreams(live, job.case.id);
      if (job.case.isolation === 'quarantine' && !isQuiet(result)) live.spent = true;
      const again = job.crash ? {} : repeated(whole);
      const passed = doubted && !isAsBad(whole.status, doubted) ? { worker: worker.number, result: whole } : undefined;
      if (doubted && !passed) this.#order.confirm(whole);
      if (job.crash && !passed) this.#ends.finishCrash(job, worker.number, { end: 'survived' });
      else if (!again.repetition && !passed) this.#ends.finish(job, worker.number, whole);
      if (spent) await this.#workers.discard(live, 'calls of its last case were still running');
      else if (damaged) await this.#workers.discard(live, 'its memory is damaged');
      return { survived: !spent && !damaged, ...again, ...(passed ? { passed } : {}) };
    }
    const { death } = end;
    // Before anything is awaited: another worker may die of the same meanwhile.
    const explained = this.#workers.comeback.explains(death);
    this.#workers.comeback.died(worker.number, job.case.id, death);
    if (this.#plan.signal.aborted) {
      this.#workers.reportEnd(live, death);
      this.#ends.abandon(job);
    } else if (diedBefore(job, death) && ++job.lost < MAX_LOST) {
      this.#workers.reportIdleDeath(live, death);
      this.#queue.requeue(job);
    } else if (explained && ++job.lost < MAX_LOST) {
      // A device that another worker's death has left unusable makes it wait or die, unless it does so again.
      this.#workers.forget(live, death);
      this.#queue.requeue(job);
    } else {
      const took = performance.now() - began;
      const result = await this.#ends.resultOf(job, worker, death, took);
      const again = job.crash || killedFromOutside(death) ? {} : repeated(result);
      // The work of other cases says nothing about the call.
      if (!again.repetition || job.case.isolation !== 'worker') this.#remember(death, result, job);
      if (again.repetition) {
        this.#workers.forget(live, death);
        return { survived: false, ...again };
      }
      if (doubted) this.#order.confirm(result);
      this.#workers.reportEnd(live, death);
      this.#ends.judge(job, worker.number, death, result);
    }
    return { survived: false };
  }

  /** A case that failed after others has passed alone: searches what it fails after, and decides its result. */
  async #inquire(job: Job, { worker, result }: { worker: number; result: CaseResult }): Promise<void> {
    const { doubt, crash, ...rest } = job;
    const { result: doubted, worker: first, ran } = doubt!;
    const after = await this.#order.after(ran, (earlier) => this.#failsAfter(earlier, rest, doubted.status));
    if (this.#plan.signal.aborted) return this.#ends.abandon(job);
    if (after === 'untried') this.#notes.warn(orderUntried(job.case.id, ran.length));
    else if (after) return this.#ends.finish(rest, first, { ...doubted, after });
    if (crash) this.#ends.finishCrash(job, first, { end: 'survived' });
    else this.#ends.finishTwice(rest, { worker: first, result: doubted }, { worker, result });
  }

  /** Whether a case ends as badly after these in a new worker; undefined if none can be started. */
  async #failsAfter(earlier: readonly Ran[], job: Job, doubted: Status): Promise<boolean | undefined> {
    const start = this.#plan.signal.aborted ? undefined : await this.#workers.start(this.#kindFor(job));
    const live = start?.live;
    if (!live || start.facts.some(({ failure }) => failure)) {
      if (live) await this.#workers.stop(live);
      return undefined;
    }
    for (const one of [...earlier, job]) {
      const isLast = one === job;
      const end = await live.ask(
        { type: 'run', number: one.number, case: one.case, avoided: isLast ? [] : this.#knowledge.avoided },
        inEffect(this.#plan.deadlines, one.case.deadline),
      );
      if (end.type === 'death') {
        this.#workers.forget(live, end.death);
        return isLast && !killedFromOutside(end.death);
      }
      live.ran.push(one);
      // Its output belongs to the result that it has already.
      await live.process.output(one.number);
      if (isLast || end.result.spent) {
        if (end.result.spent) await this.#workers.discard(live, 'calls of its last case were still running');
        else await this.#workers.stop(live);
        return isLast && isAsBad(end.result.status, doubted);
      }
    }
    return undefined;
  }

  /** What a plugin does with a call that it must refuse says nothing about others, nor does who else ends its process. */
  #remember(death: Death, { status, inFlight, signal }: CaseResult, { case: { id } }: Job): void {
    const stopped = signal === 'SIGSTOP';
    if (inFlight === undefined || death.crumb?.wrong || (killedFromOutside(death) && !stopped)) return;
    if (status === 'timeout' || stopped) this.#knowledge.recordEnd(inFlight, 'hang', id);
    else if (status === 'crash') this.#knowledge.recordEnd(inFlight, 'crash', id);
  }
}

/** No time was left, or no worker could be started. */
const orderUntried = (id: string, earlier: number): string =>
  `${id} failed after ${counted(earlier, 'other case')} in one process and passed alone; the search for what it fails after was not finished`;
