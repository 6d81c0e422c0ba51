import { isDeepStrictEqual } from 'node:util';
import type { MappedFile, PluginFacts, PluginFailure } from '../model/plugin-facts.ts';
import type { Case } from '../suite/types.ts';
import type { RunContext } from './run-plan.ts';

/** Attempts to create a client that hang: once for all cases, once for the case that reports it. */
const ENOUGH_HANGS = 2;

/** So many cases end in a function that has never returned; it is not called after that. A hang costs a deadline each time. */
const ENOUGH_ENDS = { crash: 10, hang: 3 } as const;
/** Objects must be destroyed whatever becomes of the process. */
const MUST_BE_CALLED = /_(?:Destroy|Delete|Free)\w*$/;

/** What a run knows about its plugins, and which cases it therefore cannot run. */
export class PluginKnowledge {
  readonly #context: RunContext;
  #facts: PluginFacts[];
  readonly #answers = new Map<string, Set<string>>();
  #emitted = false;
  /** Why cases that need a client cannot run. */
  #noClient: string | undefined;
  /** Since the death of a worker no client can be created. */
  #lost = false;
  /** The plugin refused a client with an error, as it does without a device: cases that create clients prove nothing. */
  #refused = false;
  /** Number of client creations that missed their deadline. */
  #clientHangs = 0;
  /** The cases that ended in a function, by how. */
  readonly #ends = new Map<string, Record<keyof typeof ENOUGH_ENDS, Set<string>>>();
  /** Why nothing can run at all. */
  #noPlugin: string | undefined;

  constructor(context: RunContext) {
    this.#context = context;
    this.#facts = [...context.plan.facts];
  }

  get facts(): PluginFacts[] {
    return this.#facts;
  }

  /** Whether shared clients are available. */
  get clients(): boolean {
    return this.#context.plan.clients && this.#noClient === undefined;
  }

  /** Takes over the facts that a worker found. */
  learn(facts: readonly PluginFacts[]): void {
    this.#facts = facts.map((entry) => this.#explained(entry));
  }

  /**
   * Decides whether the plugins can be used.
   * @param survived whether the worker that found the facts is alive
   * @returns whether the plugins can be used at all
   */
  conclude(survived: boolean): boolean {
    const violated = this.#facts.find((f) => f.failure);
    if (!violated?.failure) return true;
    if (violated.failure.stage === 'client') {
      this.#noClient = `no client of ${violated.name}: ${failureWords(violated.failure)}`;
      this.#refused = survived;
      return true;
    }
    this.#noPlugin = `${violated.name} could not be used: ${failureWords(violated.failure)}`;
    return false;
  }

  /**
   * No further worker (or none with clients) can be started: from here on the plugin counts as unusable.
   * @param what `lost`: since the death of a worker, so that nothing is known of cases that create clients themselves
   */
  giveUp(what: { clients: boolean; lost: boolean }, message: string, violated: PluginFacts | undefined): void {
    if (what.clients) this.#noClient = message;
    else this.#noPlugin = message;
    if (what.lost) this.#lost = true;
    const facts = this.#facts.find((f) => f.name === violated?.name) ?? this.#facts[0]!;
    facts.failure ??= { stage: 'load', ...violated?.failure, message };
    this.emitFacts();
  }

  /** Why a case cannot run. */
  obstacle(testCase: Case): string | undefined {
    const { clients } = this.#context.plan;
    if (this.#noPlugin !== undefined) return this.#noPlugin;
    if (testCase.client === 'none') return undefined;
    if (testCase.client === 'own' && clients && !this.#refused && !this.#lost) return this.#hangingClient();
    if (!clients) return 'needs a client, which this profile does not create';
    return this.#noClient;
  }

  #hangingClient(): string | undefined {
    const ever = this.#answers.get('PJRT_Client_Create')?.has('OK') === true;
    if (ever || this.#clientHangs < ENOUGH_HANGS) return undefined;
    return `PJRT_Client_Create missed its deadline ${this.#clientHangs} times and never returned: there is no further attempt`;
  }

  /** Emits all facts about the plugins. */
  emitFacts(): void {
    for (const [i, facts] of this.#facts.entries()) {
      const answers = i === 0 && this.#answers.size > 0 ? { answers: sortedAnswers(this.#answers) } : {};
      this.#context.emit({ type: 'plugin', plugin: { ...structuredClone(facts), ...answers } });
    }
    this.#emitted = true;
  }

  /** Records the answers of functions. New ones are emitted at once, because the run may not reach its end. */
  recordAnswers(answers: Record<string, readonly string[]>): void {
    if (answers.PJRT_Client_Create?.includes('HANG')) this.#clientHangs++;
    const news = new Map<string, Set<string>>();
    for (const [name, list] of Object.entries(answers)) {
      const known = this.#answers.get(name) ?? new Set();
      const fresh = list.filter((answer) => !known.has(answer));
      if (fresh.length > 0) news.set(name, new Set(fresh));
      for (const answer of fresh) known.add(answer);
      this.#answers.set(name, known);
    }
    if (news.size > 0) this.#add({ answers: sortedAnswers(news) });
  }

  /** Records what workers have mapped, if it is more than what was known at first. */
  recordMapped(mapped: MappedFile[]): void {
    if (mapped.length > 0 && !isDeepStrictEqual(mapped, this.#facts[0]?.mapped)) this.#add({ mapped });
  }

  /** Emits more about the first plugin. */
  #add(more: Partial<PluginFacts>): void {
    const facts = this.#facts[0];
    if (!facts || !this.#emitted) return;
    const { name, path, sha256, sizeBytes, failure } = facts;
    this.#context.emit({ type: 'plugin', plugin: { name, path, sha256, sizeBytes, failure, ...more } });
  }

  /** A case has ended in a call that it may make. */
  recordEnd(call: string, how: keyof typeof ENOUGH_ENDS, id: string): void {
    const ends = this.#ends.get(call) ?? { crash: new Set(), hang: new Set() };
    ends[how].add(id);
    this.#ends.set(call, ends);
  }

  /** Functions that are not to be called again: each further case would cost a process, or a deadline, and say the same. */
  get avoided(): string[] {
    return [...this.#ends].flatMap(([call, { crash, hang }]) => {
      const answers = [...(this.#answers.get(call) ?? [])].filter((answer) => answer !== 'DEATH' && answer !== 'HANG');
      const enough = crash.size >= ENOUGH_ENDS.crash || hang.size >= ENOUGH_ENDS.hang;
      return enough && answers.length === 0 && !MUST_BE_CALLED.test(call) ? [call] : [];
    });
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
