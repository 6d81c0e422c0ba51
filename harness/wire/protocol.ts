import type { CaseResult } from '../model/case-result.ts';
import { PLUGIN_PARTS, type PluginPart } from '../model/note-fact.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import type { Declared, OptionKind, Options, PluginCompileOptions } from '../plugins/types.ts';
import type { Case } from '../suite/types.ts';
import type { Caller } from './caller.ts';

/** Which accuracy profile is in force. */
export interface NumericsProfile {
  profile: 'strict' | 'standard' | 'relaxed';
  /** By the user or a manifest: the plugin is claimed to meet it. */
  chosen: boolean;
}

/** A plugin as a worker needs it. */
export interface WirePlugin {
  name: string;
  library: string;
  options: Options;
  /** Topology of the manifest for compile-only cases. */
  topology?: { name: string; options: Options };
  platformName?: string;
  /** What the manifest wants of compile options. */
  compileOptions?: PluginCompileOptions;
  /** What the manifest promises. */
  declares?: Declared;
  /** Create options that the manifest says the plugin understands, with the type of each. */
  knownOptions?: Record<string, OptionKind>;
  /** Default: the standard profile, which nobody chose. */
  numerics?: NumericsProfile;
}

/** What ends right before an inaccessible page: argument structs, and the data and arrays that calls are given to read. */
export type Guard = 'all' | 'structs' | 'inputs' | 'none';

export interface WorkerSetup {
  plugins: WirePlugin[];
  /** Bind symbols lazily (RTLD_LAZY, as XLA does) or at once. */
  binding: 'now' | 'lazy';
  /** As which caller the plugins are used. */
  caller: Caller;
  /** False in the no-device profile: no client is ever created. */
  clients: boolean;
  breadcrumbPath: string;
  /** Random token of the output markers. */
  marker: string;
  guard: Guard;
  /** Every native call is told on stderr, in marker lines. */
  trace?: boolean;
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
  | { type: 'run'; number: number; case: Case }
  | { type: 'stop' };

/** What a worker found out while getting ready; sent piece by piece, so that a crash keeps what was known. */
export type FromWorker =
  | { type: 'facts'; plugin: number; facts: Partial<PluginFacts> }
  /** How functions answered that had not answered so before: `OK` or error codes. */
  | { type: 'answers'; answers: Record<string, string[]> }
  /** Preparation is over, whatever came of it: the facts say. */
  | { type: 'ready' }
  /** A look is over; `problem` says what is wrong with what it saw. */
  | { type: 'inspected'; problem?: InspectionProblem }
  | { type: 'started'; number: number }
  | { type: 'result'; number: number; result: WorkerResult }
  /** Clients are destroyed, or could not be for the `problem`; the process exits next. */
  | { type: 'stopped'; peakRssBytes: number; problem?: string };

/** A case result without what only the parent knows (captured output, death, last native calls). */
export type WorkerResult = Omit<CaseResult, 'stdout' | 'stderr' | 'signal' | 'exitCode' | 'inFlight' | 'trace'> & {
  /** Calls of the case are still running on other threads: the process is of no use to another case. */
  callsRunning?: true;
};

/** Line that a worker writes to both of its streams around a case, so that output lands with the right case. */
export const markerLine = (marker: string, number: number, edge: 'begin' | 'end'): string =>
  `\n\u0001pjrt-conformance ${marker} ${edge} ${number}\u0001\n`;

/** Line on a worker's stderr before and after a native call, where calls are traced. It belongs to no case's output. */
export const callLine = (marker: string, text: string): string =>
  `\n\u0001pjrt-conformance ${marker} call ${text}\u0001\n`;
