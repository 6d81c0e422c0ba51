import type { PluginFacts, PluginFailure } from '../model/plugin-facts.ts';
import type { Case } from '../suite/types.ts';
import type { RunContext } from './run-plan.ts';

/** A client that nobody has ever got is waited for so often: once for all cases, once for the case that shows it. */
const ENOUGH_HANGS = 2;

/** What a run has learnt of its plugins, and which cases cannot run because of it. */
export class PluginKnowledge {
  readonly #context: RunContext;
  #facts: PluginFacts[];
  readonly #answers = new Map<string, Set<string>>();
  #told = false;
  /** Why cases that need a client cannot run. */
  #noClient: string | undefined;
  /** The plugin refused a client with an error, as it does without a device: cases that make clients prove nothing. */
  #refused = false;
  /** How often a client was waited for until a deadline passed. */
  #clientHangs = 0;
  /** Why nothing at all can run. */
  #noPlugin: string | undefined;

  constructor(context: RunContext) {
    this.#context = context;
    this.#facts = [...context.plan.facts];
  }

  get facts(): PluginFacts[] {
    return this.#facts;
  }

  /** Whether shared clients are to be had. */
  get clients(): boolean {
    return this.#context.plan.clients && this.#noClient === undefined;
  }

  /** Takes over what a worker has found out. */
  learn(facts: readonly PluginFacts[]): void {
    this.#facts = facts.map((entry) => this.#explained(entry));
  }

  /**
   * Draws the conclusion from what was learnt.
   * @param survived whether the worker that found it out lived on
   * @returns whether the plugins can be used at all
   */
  conclude(survived: boolean): boolean {
    const broken = this.#facts.find((f) => f.failure);
    if (!broken?.failure) return true;
    if (broken.failure.stage === 'client') {
      this.#noClient = `no client of ${broken.name}: ${failureWords(broken.failure)}`;
      this.#refused = survived;
      return true;
    }
    this.#noPlugin = `${broken.name} could not be used: ${failureWords(broken.failure)}`;
    return false;
  }

  /** No worker (or none with clients) can be had any more: the plugin counts as unusable from here on. */
  giveUp(clients: boolean, message: string, broken: PluginFacts | undefined): void {
    if (clients) this.#noClient = message;
    else this.#noPlugin = message;
    const facts = this.#facts.find((f) => f.name === broken?.name) ?? this.#facts[0]!;
    const { stage = 'load', ended } = broken?.failure ?? {};
    facts.failure ??= { stage, message, ...(ended ? { ended } : {}) };
    this.tell();
  }

  /** Why a case cannot run. */
  hindrance(testCase: Case): string | undefined {
    const { clients } = this.#context.plan;
    if (this.#noPlugin !== undefined) return this.#noPlugin;
    if (testCase.client === 'none') return undefined;
    if (testCase.client === 'own' && clients && !this.#refused) return this.#hangingClient();
    if (!clients) return 'needs a client, which this profile does not create';
    return this.#noClient;
  }

  #hangingClient(): string | undefined {
    const ever = this.#answers.get('PJRT_Client_Create')?.has('OK') === true;
    if (ever || this.#clientHangs < ENOUGH_HANGS) return undefined;
    return `PJRT_Client_Create missed its deadline ${this.#clientHangs} times and never returned: there is no further attempt`;
  }

  /** Says all that is known of the plugins. */
  tell(): void {
    for (const [i, facts] of this.#facts.entries()) {
      const answers = i === 0 && this.#answers.size > 0 ? { answers: sortedAnswers(this.#answers) } : {};
      this.#context.emit({ type: 'plugin', plugin: { ...structuredClone(facts), ...answers } });
    }
    this.#told = true;
  }

  /** Takes in how functions answered. What is new is told at once: the end of the run may never come. */
  hear(answers: Record<string, readonly string[]>): void {
    if (answers.PJRT_Client_Create?.includes('HANG')) this.#clientHangs++;
    const news = new Map<string, Set<string>>();
    for (const [name, list] of Object.entries(answers)) {
      const known = this.#answers.get(name) ?? new Set();
      const fresh = list.filter((answer) => !known.has(answer));
      if (fresh.length > 0) news.set(name, new Set(fresh));
      for (const answer of fresh) known.add(answer);
      this.#answers.set(name, known);
    }
    const facts = this.#facts[0];
    if (!facts || news.size === 0 || !this.#told) return;
    const { name, path, sha256, sizeBytes, failure } = facts;
    const plugin = { name, path, sha256, sizeBytes, ...(failure ? { failure } : {}), answers: sortedAnswers(news) };
    this.#context.emit({ type: 'plugin', plugin });
  }

  #explained(facts: PluginFacts): PluginFacts {
    const { failure } = facts;
    if (failure?.stage !== 'load') return facts;
    const message = this.#context.plan.explainLoad(facts.path, failure);
    return { ...facts, failure: { ...failure, message } };
  }
}

const sortedAnswers = (answers: ReadonlyMap<string, ReadonlySet<string>>): Record<string, string[]> =>
  Object.fromEntries([...answers].sort().map(([name, list]) => [name, [...list].sort()]));

/** The failure of a plugin in one line. */
export const failureWords = ({ code, message }: PluginFailure): string =>
  `${code ? `${code}: ` : ''}${message.split('\n')[0]}`;
