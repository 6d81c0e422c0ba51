import type { CaseResult } from '../model/case-result.ts';
import type { Event } from '../model/events.ts';
import type { PluginFacts, PluginFailure } from '../model/plugin-facts.ts';
import type { Case } from '../suite/types.ts';
import type { Caller } from '../wire/caller.ts';
import type { WirePlugin } from '../wire/protocol.ts';
import type { Repetition } from './attempts.ts';
import type { AskedDeadlines, Missed } from './deadlines.ts';
import type { Listener } from './output-splitter.ts';

/** Everything that a run needs to know. */
export interface RunPlan {
  cases: readonly Case[];
  plugins: readonly WirePlugin[];
  /** Known of the plugins before any is loaded (name, path, hash). */
  facts: readonly PluginFacts[];
  env: NodeJS.ProcessEnv;
  binding: 'now' | 'lazy';
  /** As which caller the plugins are used. */
  caller: Caller;
  /** False: no client is ever created (the no-device profile). */
  clients: boolean;
  workers: number;
  /** What the user and the manifests ask for; suites may ask for more. */
  deadlines: AskedDeadlines;
  /** What gives a plugin more time than it had when a deadline passed, as the end of a sentence. */
  moreTime?(missed: Missed): string;
  /** How often cases are run, and whether a result is a failure that another attempt may change. */
  repetition?: Repetition & { fails(id: string, result: CaseResult): boolean };
  /** Adds what plugins/known and expectations files say to the result of a case. */
  annotate(id: string, result: CaseResult): CaseResult;
  /** Adds what may be behind it to the message of a library that could not be loaded. */
  explainLoad(path: string, failure: PluginFailure): string;
  /** What ran before, in other processes: time that the run took and the highest number of a worker. */
  before?: { ms: number; workers: number };
  /** Hears what workers write, as it comes, and every native call: for `--debug`. */
  listen?(worker: number, stream: 'stdout' | 'stderr'): Listener;
  /** Ends the run early: what is in hand is killed, the rest is not run. */
  signal: AbortSignal;
}

/** What every part of a run has at hand. */
export interface RunContext {
  readonly plan: RunPlan;
  readonly emit: (event: Event) => void;
  /** Milliseconds since the start of the run. */
  readonly at: () => number;
}
