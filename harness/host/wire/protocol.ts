import type { Caller } from '../../knowledge/abi/caller.ts';
import type { CaseResult } from '../../model/case-result.ts';
import { PLUGIN_PARTS, type PluginPart } from '../../model/note-fact.ts';
import type { Alone, Declared, EmbeddedPython, OptionKind, Options, PluginCompileOptions } from '../../model/plugin.ts';
import type { PluginFacts } from '../../model/plugin-facts.ts';
import type { Case } from '../../suite/types.ts';
import type { StopAt } from './stop-at.ts';

/** The accuracy profile in effect. */
export interface NumericsProfile {
  profile: 'strict' | 'standard' | 'relaxed';
  /** Whether the user or a manifest chose it, claiming that the plugin meets it. */
  chosen: boolean;
}

/** A plugin in the form that workers expect. */
export interface WirePlugin {
  name: string;
  library: string;
  options: Options;
  /** Topology of the manifest for compile-only cases. */
  topology?: { name: string; options: Options };
  platformName?: string;
  /** Compile options required by the manifest. */
  compileOptions?: PluginCompileOptions;
  /** What the manifest declares. */
  declares?: Declared;
  /** Whether the manifest allows arrays beyond 2 GiB. */
  largeArrays?: true;
  /** Create options that the plugin understands according to the manifest, with their types. */
  knownOptions?: Record<string, OptionKind>;
  /** The create option that says how many devices a client has. */
  deviceCount?: string;
  /** Whether only one process at a time can have a client. */
  serial?: true;
  /** Variables that list the devices which a process may use, if they are divided so. */
  visibleBy?: string[];
  /** Of the library: two plugins that have the same one are twins. */
  sha256?: string;
  /** Of `coexist`. */
  alone?: Alone;
  /** Started before the plugin is loaded. */
  python?: EmbeddedPython;
  /** Default: the standard profile, not chosen explicitly. */
  numerics?: NumericsProfile;
  /** Of cases about jobs of several processes. Default: two on this machine, and the built-in store. */
  job?: JobSettings;
}

/** The jobs of a run. */
export interface JobSettings {
  /** How many processes a job has. */
  nodes: number;
  /** Which of them this harness has, if each has one; undefined: all of them. */
  node?: number;
  /** URL of the store; undefined: the built-in one. */
  store?: string;
}

export interface WorkerSetup {
  plugins: WirePlugin[];
  /** Bind symbols lazily (RTLD_LAZY, as XLA does) or at once. */
  binding: 'now' | 'lazy';
  /** The consumer that the harness acts as. */
  caller: Caller;
  /** False in the no-device profile: no client is ever created. */
  clients: boolean;
  /** Random token of the output markers. */
  marker: string;
  /** Whether it repeats a case that crashed: signals are recorded in front of the plugin's own handlers then. */
  repeatsCrash?: true;
  /** A debugger is attached: where it is to stop. */
  stopAt?: StopAt;
  /** Whether every native call is traced on stderr, in marker lines. */
  trace?: boolean;
  /** Directory with a file for each process, into which it writes its native calls with all that they lead to. */
  recording?: string;
}

/** What a worker can look at, once it is ready, so that reports can show it; each look may end the process. */
export const INSPECTIONS = PLUGIN_PARTS;

export type Inspection = PluginPart;

/** What is wrong with what a look saw. */
export interface InspectionProblem {
  /** Plugin that gave no answer. */
  unanswered?: string;
  reason: string;
}

export type ToWorker =
  | { type: 'setup'; setup: WorkerSetup }
  | { type: 'prepare' }
  | { type: 'inspect'; part: Inspection }
  /** `avoided`: functions that are not to be called, because none of their calls has returned. */
  | { type: 'run'; number: number; case: Case; avoided: readonly string[] }
  /** Does the plugin still work? */
  | { type: 'check' }
  | { type: 'stop' };

/** Facts found by a worker while starting; sent one by one, so that a crash loses none. */
export type FromWorker =
  | { type: 'facts'; plugin: number; facts: Partial<PluginFacts> }
  /** New answers of functions: `OK` or error codes. */
  | { type: 'answers'; answers: Record<string, string[]> }
  /** The worker has started, successfully or not, as the facts show. */
  | { type: 'ready' }
  /** An error of the worker itself, with its stack; it ends. */
  | { type: 'fault'; error: string }
  /** A look is over; `problem` says what is wrong with what it saw. */
  | { type: 'inspected'; problem?: InspectionProblem }
  | { type: 'result'; result: WorkerResult }
  | { type: 'checked'; healthy: boolean }
  /** Clients are destroyed, or could not be because of `problem`; the process exits next. */
  | { type: 'stopped'; peakRssBytes: number; problem?: string };

/** A case result without what only the parent knows (captured output, death, last native calls). */
export type WorkerResult = Omit<CaseResult, 'stdout' | 'stderr' | 'signal' | 'exitCode' | 'inFlight' | 'trace'> & {
  /** Calls of the case are still running on other threads: the process is of no use to another case. */
  spent?: true;
};

/** Line that a worker writes to both of its streams around a case, so that output is assigned to the correct case. */
export const markerLine = (marker: string, number: number, edge: 'begin' | 'end'): string =>
  `\n\u0001pjrt-conformance ${marker} ${edge} ${number}\u0001\n`;

/** Line on a worker's stderr before and after a native call, if calls are traced. It belongs to no case's output. */
export const callLine = (marker: string, text: string): string =>
  `\n\u0001pjrt-conformance ${marker} call ${text}\u0001\n`;
