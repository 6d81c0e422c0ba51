import type { CaseResult } from '../model/case-result.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import type { Declared, OptionKind, Options, PluginCompileOptions } from '../plugins/types.ts';
import type { Case } from '../suite/types.ts';
import type { Caller } from './caller.ts';

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
  /** Create options that the plugin understands according to the manifest, with their types. */
  knownOptions?: Record<string, OptionKind>;
  /** Default: the standard profile, not chosen explicitly. */
  numerics?: NumericsProfile;
}

/** What ends at an inaccessible page: argument structs, and the input data and arrays of calls. */
export type Guard = 'all' | 'structs' | 'inputs' | 'none';

export interface WorkerSetup {
  plugins: WirePlugin[];
  /** Bind symbols lazily (RTLD_LAZY, as XLA does) or at once. */
  binding: 'now' | 'lazy';
  /** The consumer that the harness acts as. */
  caller: Caller;
  /** False in the no-device profile: no client is ever created. */
  clients: boolean;
  breadcrumbPath: string;
  /** Random token of the output markers. */
  marker: string;
  guard: Guard;
  /** Whether every native call is traced on stderr, in marker lines. */
  trace?: boolean;
}

/** What a worker can query, once it is ready, for reports; each query may kill the process. */
export const INSPECTIONS = ['extensions', 'attributes', 'platform', 'devices', 'memories'] as const;

export type Inspection = (typeof INSPECTIONS)[number];

export type ToWorker =
  | { type: 'setup'; setup: WorkerSetup }
  | { type: 'prepare' }
  | { type: 'inspect'; part: Inspection }
  | { type: 'run'; number: number; case: Case }
  | { type: 'stop' };

/** Facts found by a worker while starting; sent one by one, so that a crash loses none. */
export type FromWorker =
  | { type: 'facts'; plugin: number; facts: Partial<PluginFacts> }
  /** New answers of functions: `OK` or error codes. */
  | { type: 'answers'; answers: Record<string, string[]> }
  /** The worker has started, successfully or not, as the facts show. */
  | { type: 'ready' }
  /** A query is done; `problem` is what is wrong with its result. */
  | { type: 'inspected'; problem?: string }
  | { type: 'started'; number: number }
  | { type: 'result'; number: number; result: WorkerResult }
  /** Clients are destroyed, or could not be because of `problem`; the process exits next. */
  | { type: 'stopped'; peakRssBytes: number; problem?: string };

/** A case result without what only the parent knows (captured output, death, last native calls). */
export type WorkerResult = Omit<CaseResult, 'stdout' | 'stderr' | 'signal' | 'exitCode' | 'inFlight' | 'trace'>;

/** Line that a worker writes to both of its streams around a case, so that output is assigned to the correct case. */
export const markerLine = (marker: string, number: number, edge: 'begin' | 'end'): string =>
  `\n\u0001pjrt-conformance ${marker} ${edge} ${number}\u0001\n`;

/** Line on a worker's stderr before and after a native call, if calls are traced. It belongs to no case's output. */
export const callLine = (marker: string, text: string): string =>
  `\n\u0001pjrt-conformance ${marker} call ${text}\u0001\n`;
