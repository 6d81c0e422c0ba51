import type { Caller } from '../knowledge/abi/caller.ts';
import type { CaseResult } from '../model/case-result.ts';
import type { Event } from '../model/events.ts';
import type { PluginFacts, PluginFailure } from '../model/plugin-facts.ts';
import type { Requirements } from '../suite/requirements.ts';
import type { Case } from '../suite/types.ts';
import type { Repetition } from './attempts.ts';
import type { Budget } from './budget.ts';
import type { AskedDeadlines, Missed } from './deadlines.ts';
import type { Examine } from './debuggers/examine.ts';
import type { Debugger } from './debuggers/session.ts';
import type { EarlyWorker } from './early-worker.ts';
import type { Watched } from './files-watch.ts';
import type { Place } from './fork-worker.ts';
import type { Listener } from './output-splitter.ts';
import type { SanitizerLog } from './sanitizers/log.ts';
import type { WirePlugin } from './wire/protocol.ts';

/** Everything that a run needs. */
export interface RunPlan extends Place {
  cases: readonly Case[];
  plugins: readonly WirePlugin[];
  /** Facts about the plugins before loading (name, path, hash). */
  facts: readonly PluginFacts[];
  /** The process of the first worker, if one was started ahead. */
  early?: EarlyWorker;
  binding: 'now' | 'lazy';
  /** The consumer that the harness acts as. */
  caller: Caller;
  /** If false, no client is ever created (the no-device profile). */
  clients: boolean;
  workers: number;
  /** Requests of the user and the manifests; suites may ask for more. */
  deadlines: AskedDeadlines;
  /** Command of the shell that resets the devices after a death, before the next worker starts. */
  resetCommand?: string | undefined;
  /** Looks at workers that are about to end, for `--backtrace`. */
  examine?: Examine | undefined;
  /** The debugger in which the only case runs. */
  debugger?: Debugger | undefined;
  /** What the sanitizers of plugins that were built with them report. */
  sanitizers?: SanitizerLog | undefined;
  /** How to allow a plugin more time after a missed deadline, as the end of a sentence. */
  moreTime?(missed: Missed): string;
  /** How often cases are run, and which results another attempt may change. */
  repetition?: Repetition & { fails(id: string, result: CaseResult): boolean };
  /** Whether a case is known not to pass: it gets a process of its own if it may harm one that others use. */
  knownToFail?(id: string): boolean;
  /** Annotates the result of a case from plugins/known and expectations files. */
  annotate(id: string, result: CaseResult): CaseResult;
  /** Adds what may be behind it to the message of a library that could not be loaded. */
  explainLoad(path: string, failure: PluginFailure): string;
  /** The requirements of the suites: one of them forbids what a process dies of. */
  requirements?(): Promise<Requirements>;
  /** What ran before, in other processes: time that the run took and the highest number of a worker. */
  before?: { ms: number; workers: number };
  /** Files that must stay as they are during the run; without them nobody looks at what workers map. */
  watched?: Watched;
  /** Receives output of workers as it arrives, and every native call: for `--debug`. */
  listen?(worker: number, stream: 'stdout' | 'stderr'): Listener;
  /** Directory into which each worker writes its native calls with all that they lead to. */
  recording?: string | undefined;
  /** The time that the run has, and why cases for which there is none are skipped. */
  budget?: { ms: number; reason: string } | undefined;
  /** The part of the run to which a case belongs, counted from 0: each begins when the one before has been taken. Default: one part. */
  partOf?: ((id: string) => number) | undefined;
  /** Aborts the run: running cases are killed, the rest is not run. */
  signal: AbortSignal;
}

/** What every part of a run uses. */
export interface RunContext {
  readonly plan: RunPlan;
  readonly emit: (event: Event) => void;
  /** Ends the run because of an error of the harness. */
  readonly fail: (error: unknown) => void;
  /** Milliseconds since the start of the run. */
  readonly at: () => number;
  readonly budget?: Budget | undefined;
}
