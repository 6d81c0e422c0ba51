import type { CaseResult } from '../model/case-result.ts';
import { isJudged } from '../model/warned.ts';
import { ANY_CALL } from '../suite/blamed-requirement.ts';
import { attemptOf, nextAttempt, settled } from './attempts.ts';
import {
  crashResult,
  faultResult,
  killedFromOutside,
  lastCallOf,
  levelOfHang,
  requirementOf,
  timeoutResult,
  tooMuchTogether,
} from './blame.ts';
import { conclude, isOpen, type Repeat } from './crash-inquiry.ts';
import { CrowdedDevice } from './crowded-device.ts';
import type { Job, JobQueue } from './job-queue.ts';
import { brief as shortened } from './output-splitter.ts';
import type { Quarantine } from './quarantine.ts';
import type { RunNotes } from './run-notes.ts';
import type { RunContext, RunPlan } from './run-plan.ts';
import { withReports } from './sanitizers/with-reports.ts';
import { uncaughtException } from './uncaught-exception.ts';
import type { Death, WorkerProcess } from './worker-process.ts';

const ONCE: NonNullable<RunPlan['repetition']> = { repeat: 1, rerunFailed: 0, fails: () => false };

/** How a case ended in one worker. */
interface Ended {
  worker: number;
  result: CaseResult;
}

/** What follows when a case has ended: a result, or another attempt. */
export class CaseEnds {
  readonly #context: RunContext;
  readonly #queue: JobQueue;
  readonly #notes: RunNotes;
  readonly #quarantine: Quarantine;
  /** Cases whose process was ended in a call by a signal, also while no other worker was running: the call sends it. */
  readonly #confirmed = new Map<string, string>();
  readonly #device = new CrowdedDevice();

  constructor(context: RunContext, queue: JobQueue, notes: RunNotes, quarantine: Quarantine) {
    this.#context = context;
    this.#queue = queue;
    this.#notes = notes;
    this.#quarantine = quarantine;
  }

  /** Whether the devices have memory for one worker only. */
  get crowded(): boolean {
    return this.#device.crowded;
  }

  /** Decides what the death of a worker during a case means. @param result as `resultOf` gives it */
  judge(job: Job, worker: number, death: Death, result: CaseResult): void {
    if (this.#context.plan.debugger) {
      // Once is enough for whoever has seen it.
      if (killedFromOutside(death)) this.abandon(job, 'its process was ended in the debugger');
      else this.finish(job, worker, result);
    } else if (job.crash) {
      const same = lastCallOf(death).call === job.crash.inFlight && !death.killedFor;
      this.finishCrash(job, worker, { end: same ? 'same call' : 'elsewhere', result });
    } else if (isMissed(death) || death.fault !== undefined) {
      this.finish(job, worker, result);
    } else if (killedFromOutside(death) && !job.exclusive && !this.#confirmed.has(signalIn(death))) {
      const { memory: loss, signal } = death;
      const how = loss ? 'killed for want of memory' : signal === 'SIGSTOP' ? 'stopped' : `killed with ${signal}`;
      const who = loss ? '' : ', perhaps by another process';
      this.#notes.warn(`a worker was ${how} while it ran ${job.case.id}${who}; the case is repeated alone`);
      this.#queue.requeue({ ...job, exclusive: true, ...(loss ? { loss } : {}) });
    } else {
      const isSender = killedFromOutside(death) && !death.memory && lastCallOf(death).call !== undefined;
      if (isSender && job.exclusive) this.#confirmed.set(signalIn(death), job.case.id);
      if (isOpen(result) && !job.exclusive) this.#queue.requeue({ ...job, crash: result });
      else this.finish(job, worker, result);
    }
  }

  /** The result of a case whose worker died, with its output, which can be taken only once. */
  async resultOf(job: Job, worker: WorkerProcess, death: Death, took: number): Promise<CaseResult> {
    const hint = death.missed && this.#context.plan.moreTime?.(death.missed);
    const output = worker.outputSoFar(job.number);
    if (death.fault !== undefined) return { ...faultResult(death, death.fault, took), ...output };
    const requirements = (await this.#context.plan.requirements?.()) ?? new Map();
    const weighed = { level: job.case.level, requirement: requirementOf(death, job.case, requirements) };
    const result = isMissed(death)
      ? timeoutResult(death, took, { ...weighed, level: levelOfHang(death, job.case, requirements) }, hint)
      : crashResult(death, took, weighed, {
          exception: uncaughtException(output.stderr),
          confirmedBy: job.exclusive ? undefined : this.#confirmed.get(signalIn(death)),
        });
    const reports = this.#context.plan.sanitizers?.take(worker.pid, output.stderr) ?? [];
    return withReports({ ...result, ...output }, job.case, reports, death.crumb);
  }

  /** The repetition of a crash has ended. */
  finishCrash(job: Job, worker: number, repeat: Repeat): void {
    this.finish(job, worker, conclude(job.crash!, repeat, ANY_CALL));
  }

  /** An attempt has ended: either another follows, or the case is done. */
  finish(job: Job, worker: number, whole: CaseResult): void {
    const { plan, emit, at } = this.#context;
    if (plan.workers > 1 && !job.exclusive && !plan.signal.aborted && this.#device.doubts(whole)) {
      this.#queue.requeue({ ...job, crash: undefined, doubt: undefined, exclusive: true, crowded: whole });
      return;
    }
    if (job.crowded && this.#device.compare(whole)) this.#notes.warn(tooCrowded(job.case.id));
    const brief = isQuiet(whole) ? withBriefOutput(whole) : whole;
    const result =
      job.loss && isJudged(brief)
        ? { ...brief, findings: [...brief.findings, tooMuchTogether(job.loss, job.case)] }
        : brief;
    const { id } = job.case;
    if (
      job.doubt &&
      job.case.isolation === 'quarantine' &&
      this.#quarantine.compare(job.doubt.result.status, result.status)
    ) {
      const { result: doubted, ran } = job.doubt;
      const after = ran.at(-1)?.case.id;
      this.#notes.warn(
        `${id} ended as ${doubted.status} in a process that other cases had used, the last of them ${after}, and as ${result.status} in its own, which counts: from here on cases that may harm their process do not share it`,
      );
    }
    const attempt = attemptOf(result, { worker, atMs: at(), why: job.why });
    const tries = [...job.tries, { result, attempt }];
    const { repetition = ONCE, signal } = plan;
    const why = signal.aborted ? undefined : nextAttempt(tries, repetition, (of) => repetition.fails(id, of));
    if (why === undefined) {
      this.settle({ ...job, tries });
      return;
    }
    emit({ type: 'attempt', id, worker, atMs: attempt.atMs, attempt });
    this.#queue.again(job, tries, why);
  }

  /** A case failed after others and passed alone, and did not fail again after them. */
  finishTwice(job: Job, first: Ended, alone: Ended): void {
    const { at, emit } = this.#context;
    const attempt = attemptOf(first.result, { worker: first.worker, atMs: at(), why: job.why });
    emit({ type: 'attempt', id: job.case.id, worker: first.worker, atMs: attempt.atMs, attempt });
    const tries = [...job.tries, { result: first.result, attempt }];
    this.finish({ ...job, tries, why: 'alone' }, alone.worker, alone.result);
  }

  /** A case cannot be run any more: what is known of it counts. @param reason if it is not that the run was interrupted */
  abandon(job: Job, obstacle?: string): void {
    const { crash, doubt, crowded, ...rest } = job;
    const { budget, plan } = this.#context;
    const late = obstacle === undefined && budget?.spent === true;
    const reason = late ? plan.budget?.reason : obstacle;
    if (crowded) this.finish(rest, 0, crowded);
    else if (crash) this.finish(rest, 0, crash);
    else if (doubt) this.finish(rest, doubt.worker, doubt.result);
    else if (job.tries.length > 0 || reason === undefined) this.settle(job);
    else {
      if (late) budget.leaveOut();
      this.finish(job, 0, { status: 'skip', findings: [], reason, durationMs: 0, nativeMs: 0, calls: 0 });
    }
    if ((crowded || crash || doubt) && reason !== undefined) {
      this.#notes.warn(`${job.case.id} could not be repeated, so its result counts as it is: ${reason}`);
    }
  }

  /** Emits the combined result of the attempts, if there were any. */
  settle({ case: { id }, tries }: Job): void {
    const { plan, emit, at } = this.#context;
    const last = tries.at(-1)?.attempt;
    if (!last) return;
    const result = plan.annotate(id, settled(tries));
    emit({ type: 'case', id, worker: last.worker, atMs: at(), result });
  }
}

const tooCrowded = (id: string): string =>
  `${id} ran out of memory beside other workers, and not alone: the run goes on with one worker. If the plugin takes the memory of a device when it starts, a create option may prevent that (XLA's GPU plugins: --option preallocate=false)`;

const signalIn = (death: Death): string => (death.memory ? '' : `${death.signal} in ${lastCallOf(death).call}`);

const isMissed = (death: Death): boolean => death.killedFor !== undefined && !death.channel;

/** Reports say little about a case that passed. */
export const isQuiet = ({ status }: Pick<CaseResult, 'status'>): boolean =>
  status === 'pass' || status === 'unsupported' || status === 'skip';

const withBriefOutput = (result: CaseResult): CaseResult => ({
  ...result,
  ...(result.stdout ? { stdout: shortened(result.stdout) } : {}),
  ...(result.stderr ? { stderr: shortened(result.stderr) } : {}),
});
