import type { PluginFacts } from '../model/plugin-facts.ts';
import type { Comeback } from './comeback.ts';
import { type Deadlines, missedText } from './deadlines.ts';
import type { Ran } from './job-queue.ts';
import type { Leniency } from './leniency.ts';
import type { WatchClock } from './watch-clock.ts';
import { Watchdog } from './watchdog.ts';
import type { FromWorker, ToWorker } from './wire/protocol.ts';
import type { Death, WorkerProcess } from './worker-process.ts';

type Question = Exclude<ToWorker['type'], 'setup'>;

const ANSWERS = {
  prepare: 'ready',
  inspect: 'inspected',
  run: 'result',
  check: 'checked',
  stop: 'stopped',
} as const satisfies Record<Question, FromWorker['type']>;

type Answer<Q extends Question> = Extract<FromWorker, { type: (typeof ANSWERS)[Q] }>;

/** A worker's answer, or its death. */
type Outcome<Q extends Question> = Answer<Q> | { type: 'death'; death: Death };

/** Worker configuration. */
export interface WorkerKind {
  /** Whether it creates clients. */
  clients: boolean;
  /** Whether it repeats a crash. */
  repeatsCrash?: true;
  /** The round of repetitions. */
  round: number;
  /** Whether its cases may harm it. */
  quarantine: boolean;
}

/** A worker in use: one request at a time, each under deadlines. */
export class LiveWorker {
  readonly process: WorkerProcess;
  #kind: WorkerKind;
  readonly #leniency: Leniency;
  readonly #comeback: Comeback;
  readonly #clock: WatchClock;
  /** Facts about the plugins that it found. */
  facts: PluginFacts[];
  /** To be replaced: a case that has, or needs, a process of its own has run in it. */
  spent = false;
  /** The cases that have run in it. */
  readonly ran: Ran[] = [];
  /** Called with the answers of the plugin's functions. */
  onAnswers: (answers: Record<string, readonly string[]>) => void = () => {};
  #watchdog: Watchdog | undefined;
  /** Number of the open question; undefined if there is none. */
  #question: number | undefined;
  #onAnswer: (message: FromWorker) => void = () => {};

  constructor(
    process: WorkerProcess,
    kind: WorkerKind,
    facts: PluginFacts[],
    { leniency, comeback }: { leniency: Leniency; comeback: Comeback },
    clock: WatchClock,
  ) {
    this.process = process;
    this.#kind = kind;
    this.#leniency = leniency;
    this.#comeback = comeback;
    this.#clock = clock;
    this.facts = facts;
    process.onMessage = (message, question) => {
      if (question !== this.#question) process.refuse(`an answer ${message.type} to a question that is not open`);
      else if (message.type === 'answers') this.onAnswers(message.answers);
      else if (message.type !== 'facts') this.#onAnswer(message);
      else if (this.facts[message.plugin]) Object.assign(this.facts[message.plugin]!, message.facts);
      else process.refuse(`facts of plugin ${message.plugin}`);
    };
  }

  /** Whether it has shared clients. */
  get clients(): boolean {
    return this.#kind.clients;
  }

  /** Number of cases that have run in it. */
  get cases(): number {
    return this.ran.length;
  }

  /** Id of its last case. */
  get last(): string | undefined {
    return this.ran.at(-1)?.case.id;
  }

  /** Takes up a configuration. @returns whether it can; only an unused one goes into quarantine or out of it */
  takes(kind: WorkerKind): boolean {
    const { clients, repeatsCrash, round, quarantine } = this.#kind;
    if (clients !== kind.clients || repeatsCrash !== kind.repeatsCrash || round !== kind.round) return false;
    if (quarantine !== kind.quarantine && this.cases > 0) return false;
    this.#kind = kind;
    return true;
  }

  /**
   * Sends a message and waits for the answer, or for the death of the worker. How fast a used worker in quarantine is says
   * nothing about others.
   */
  async ask<Q extends Question>(message: ToWorker & { type: Q }, deadlines: Deadlines): Promise<Outcome<Q>> {
    const leniency = this.#kind.quarantine && this.cases > 0 ? this.#leniency.apart() : this.#leniency;
    const answer = new Promise<Answer<Q>>((resolve) => {
      this.#onAnswer = (reply) => {
        if (reply.type !== ANSWERS[message.type]) {
          this.process.refuse(`an answer ${reply.type} to the question ${message.type}`);
          return;
        }
        this.#question = undefined;
        resolve(reply as Answer<Q>);
      };
    });
    this.#watchdog = new Watchdog(deadlines, leniency, this.#comeback, this.#clock.now);
    this.#question = this.process.send(message);
    const end = await Promise.race([answer, this.process.ended.then((death) => ({ type: 'death' as const, death }))]);
    this.#watchdog = undefined;
    return end;
  }

  /**
   * Lets it destroy its clients and exit, or kills it after they are destroyed.
   * @returns how it ended, and whether its clients had been destroyed
   */
  async stop(
    deadlines: Deadlines,
    killed: boolean,
  ): Promise<{ death: Death; stopped: boolean; problem: string | undefined; peakRssBytes: number | undefined }> {
    const limits = { ...deadlines, first: deadlines.exit, call: deadlines.exit, case: deadlines.exit };
    const end = await this.ask({ type: 'stop' }, limits);
    const stopped = end.type === 'stopped';
    if (stopped && killed) this.process.kill('its work is done');
    this.#watchdog = new Watchdog(limits, this.#leniency, this.#comeback, this.#clock.now);
    return {
      death: await this.process.ended,
      stopped,
      problem: stopped ? end.problem : undefined,
      peakRssBytes: stopped ? end.peakRssBytes : undefined,
    };
  }

  /** Kills it if a deadline has passed, by the clock of the watch. */
  enforceDeadlines(): void {
    if (this.process.examined) return;
    const missed = this.#watchdog?.check(this.process.crumb(), this.#clock.now);
    if (!missed) return;
    this.#watchdog = undefined;
    this.process.kill(missedText(missed), missed);
  }
}
