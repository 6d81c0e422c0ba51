import type { PluginFacts } from '../model/plugin-facts.ts';
import type { FromWorker, Guard, ToWorker } from '../wire/protocol.ts';
import { type Deadlines, missedText } from './deadlines.ts';
import type { Leniency } from './leniency.ts';
import { Watchdog } from './watchdog.ts';
import type { Death, WorkerProcess } from './worker-process.ts';

type Question = Exclude<ToWorker['type'], 'setup'>;

const ANSWERS = { prepare: 'ready', inspect: 'inspected', run: 'result', stop: 'stopped' } as const satisfies Record<
  Question,
  FromWorker['type']
>;

type Answer<Q extends Question> = Extract<FromWorker, { type: (typeof ANSWERS)[Q] }>;

/** What a worker answered, or how it ended instead. */
export type Outcome<Q extends Question> = Answer<Q> | { type: 'death'; death: Death };

/** As what a worker was started. */
export interface WorkerKind {
  /** With clients. */
  clients: boolean;
  /** What ends at an inaccessible page. */
  guard: Guard;
  /** The round of repetitions for which it was started. */
  round: number;
}

/** A worker in use: asked one thing at a time, each under deadlines. */
export class LiveWorker {
  readonly process: WorkerProcess;
  readonly #kind: WorkerKind;
  readonly #leniency: Leniency;
  /** What it found out about the plugins. */
  facts: PluginFacts[];
  /** To be replaced after its case: a case with `isolation: process` has just run in it. */
  spent = false;
  /** Id of the case that it ran last. */
  last: string | undefined;
  /** Called with how functions of the plugin answered. */
  onAnswers: (answers: Record<string, readonly string[]>) => void = () => {};
  #watchdog: Watchdog | undefined;
  #hear: (message: FromWorker) => void = () => {};

  constructor(process: WorkerProcess, kind: WorkerKind, facts: PluginFacts[], leniency: Leniency) {
    this.process = process;
    this.#kind = kind;
    this.#leniency = leniency;
    this.facts = facts;
    process.onMessage = (message) => {
      if (message.type === 'facts') Object.assign(this.facts[message.plugin]!, message.facts);
      else if (message.type === 'answers') this.onAnswers(message.answers);
      else this.#hear(message);
    };
  }

  /** Whether it was started as this. */
  is({ clients, guard, round }: WorkerKind): boolean {
    return this.#kind.clients === clients && this.#kind.guard === guard && this.#kind.round === round;
  }

  /** Sends a message and waits for its answer, or for the death of the worker. */
  async ask<Q extends Question>(message: ToWorker & { type: Q }, deadlines: Deadlines): Promise<Outcome<Q>> {
    const answer = new Promise<Answer<Q>>((resolve) => {
      this.#hear = (heard) => {
        if (heard.type === ANSWERS[message.type]) resolve(heard as Answer<Q>);
      };
    });
    this.#watchdog = new Watchdog(deadlines, this.#leniency, performance.now());
    this.process.send(message);
    const end = await Promise.race([answer, this.process.ended.then((death) => ({ type: 'death' as const, death }))]);
    this.#watchdog = undefined;
    return end;
  }

  /**
   * Lets it destroy its clients and exit, or kills it when they are destroyed.
   * @returns how it ended, and whether its clients were destroyed by then
   */
  async stop(
    deadlines: Deadlines,
    killed: boolean,
  ): Promise<{ death: Death; stopped: boolean; problem: string | undefined; peakRssBytes: number | undefined }> {
    const limits = { ...deadlines, first: deadlines.exit, call: deadlines.exit, case: deadlines.exit };
    const end = await this.ask({ type: 'stop' }, limits);
    const stopped = end.type === 'stopped';
    if (stopped && killed) this.process.kill('its work is done');
    this.#watchdog = new Watchdog(limits, this.#leniency, performance.now());
    return {
      death: await this.process.ended,
      stopped,
      problem: stopped ? end.problem : undefined,
      peakRssBytes: stopped ? end.peakRssBytes : undefined,
    };
  }

  /** Kills it when a deadline has passed. */
  look(now: number): void {
    const missed = this.#watchdog?.look(this.process.crumb(), now);
    if (!missed) return;
    this.#watchdog = undefined;
    this.process.kill(missedText(missed), missed);
  }
}
