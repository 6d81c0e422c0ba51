import type { Attempt, CaseResult } from '../model/case-result.ts';
import { compilationsOf } from '../suite/compilations.ts';
import type { Case } from '../suite/types.ts';
import type { Try } from './attempts.ts';
import type { MemoryLoss } from './memory-limit.ts';

/** A case that is still to be run, and what is known about it so far. */
export interface Job {
  number: number;
  case: Case;
  /** Programs that it shares with other cases of its worker. */
  programs: readonly string[];
  /** The part of the run to which it belongs; a part begins when the one before has been taken. */
  part: number;
  /** It gets a process of its own. */
  isolated: boolean;
  /** Set if something else killed its worker, or if memory ran out: it is repeated while no other worker runs. */
  exclusive: boolean;
  /** How it ended when it ran out of memory beside other workers: it is repeated in a process of its own, without them. */
  crowded?: CaseResult;
  /** How it ended in a process that other cases had used: it is repeated in one of its own. */
  doubt?: Doubt;
  /** What is known of its worker if the kernel killed that for want of memory. */
  loss?: MemoryLoss;
  /** Number of workers that died before the case began. */
  lost: number;
  /** Its result if it crashed and is repeated to see whether it does so again. */
  crash?: CaseResult;
  /** Attempts that have ended, and the reason for this one. */
  tries: readonly Try[];
  why?: Attempt['why'];
}

/** A case that has run in a worker. */
export type Ran = Pick<Job, 'number' | 'case'>;

/** A result that may be the work of earlier cases of its process. It counts if the case cannot be repeated. */
interface Doubt {
  result: CaseResult;
  worker: number;
  /** The cases before it in that process. */
  ran: readonly Ran[];
}

/**
 * The jobs of a run in order: those that share a worker, those in quarantine without and with a shared client, and those with a
 * worker of their own.
 */
export class JobQueue {
  readonly #signal: AbortSignal;
  readonly #shared: Job[] = [];
  readonly #clientless: Job[] = [];
  readonly #quarantined: Job[] = [];
  readonly #isolated: Job[] = [];
  /** Jobs of the next round: every case again, in new workers and in reverse order. */
  readonly #later: Job[] = [];
  #round = 1;
  #busy = 0;
  #exclusive = false;
  /** The lane whose worker first compiled a program that cases share. */
  readonly #compiledBy = new Map<string, number>();
  #wakeups: (() => void)[] = [];

  /**
   * @param isolated whether a case gets a process of its own
   * @param partOf the part of the run to which a case belongs
   */
  constructor(
    cases: readonly Case[],
    signal: AbortSignal,
    isolated: (testCase: Case) => boolean,
    partOf: (id: string) => number = () => 0,
  ) {
    this.#signal = signal;
    cases.forEach((testCase, i) => {
      const job: Job = {
        number: i + 1,
        case: testCase,
        programs: compilationsOf(testCase).shared,
        part: partOf(testCase.id),
        isolated: isolated(testCase),
        exclusive: false,
        lost: 0,
        tries: [],
      };
      this.#line(job).push(job);
    });
    for (const line of this.#lines) line.sort((a, b) => a.part - b.part);
  }

  get #lines(): readonly Job[][] {
    return [this.#shared, this.#clientless, this.#quarantined, this.#isolated];
  }

  /** The round of repetitions, counted from 1. */
  get round(): number {
    return this.#round;
  }

  /** Jobs that no lane has taken. */
  get left(): Job[] {
    return [...this.#lines.flat(), ...this.#later];
  }

  /**
   * Next job, waiting while an exclusive one runs or until other lanes have finished so that one can start. A lane leaves
   * cases to another lane whose worker has compiled their programs, as long as there are others.
   */
  async next(lane: number): Promise<Job | undefined> {
    for (;;) {
      if (this.#signal.aborted) return undefined;
      const queue = this.#queue();
      const [first] = queue;
      const suits = (one: Job): boolean => !one.exclusive && one.part === first!.part && this.#suits(lane, one);
      const job = first?.exclusive ? first : (queue.find(suits) ?? first);
      if (!this.#exclusive && job && (!job.exclusive || this.#busy === 0)) {
        queue.splice(queue.indexOf(job), 1);
        for (const program of job.programs) {
          if (!this.#compiledBy.has(program)) this.#compiledBy.set(program, lane);
        }
        this.#busy++;
        if (job.exclusive) this.#exclusive = true;
        return job;
      }
      // A busy lane may put its job back.
      if (!job && this.#busy === 0) {
        if (this.#beginRound()) continue;
        return undefined;
      }
      await new Promise<void>((resolve) => this.#wakeups.push(resolve));
    }
  }

  /** The line whose turn it is. */
  #queue(): Job[] {
    const [first, ...others] = this.#lines.filter(({ length }) => length > 0);
    return others.reduce((best, line) => (line[0]!.part < best[0]!.part ? line : best), first ?? this.#isolated);
  }

  /** A job is done, or was put back. */
  release(job: Job): void {
    this.#busy--;
    if (job.exclusive) this.#exclusive = false;
    for (const wake of this.#wakeups.splice(0)) wake();
  }

  /** Puts a job back at the front. */
  requeue(job: Job): void {
    this.#line(job).unshift(job);
  }

  /** Adds another attempt at a case that was run. */
  again(
    { number, case: testCase, programs, part, isolated }: Job,
    tries: readonly Try[],
    why: NonNullable<Attempt['why']>,
  ): void {
    const job: Job = { number, case: testCase, programs, part, isolated, exclusive: false, lost: 0, tries, why };
    (why === 'repeat' ? this.#later : this.#isolated).push(job);
  }

  /** Starts the cases that are to be repeated; false if there are none. */
  #beginRound(): boolean {
    if (this.#later.length === 0) return false;
    this.#round++;
    for (const job of this.#later.splice(0).reverse()) this.#line(job).push(job);
    return true;
  }

  #suits = (lane: number, { programs }: Job): boolean =>
    programs.every((program) => (this.#compiledBy.get(program) ?? lane) === lane);

  #line(job: Job): Job[] {
    if (job.isolated || job.doubt) return this.#isolated;
    if (job.case.isolation === 'worker') return this.#shared;
    return job.case.client === 'shared' ? this.#quarantined : this.#clientless;
  }
}
