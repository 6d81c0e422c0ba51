import type { Attempt, CaseResult } from './case-result.ts';
import type { ExpectationEntry } from './expectation.ts';
import type { FrameworkVerdict } from './framework-verdict.ts';
import type { Judgement } from './judgement.ts';
import type { NoteFact } from './note-fact.ts';
import type { AccuracyInEffect } from './numeric-record.ts';
import type { PluginFacts } from './plugin-facts.ts';
import type { Counts } from './status.ts';
import type {
  Count,
  Day,
  FormatVersion,
  Instant,
  Integer,
  Line,
  Milliseconds,
  NonEmpty,
  Positive,
  WorkerNumber,
} from './values.ts';

/** The event log: `events.jsonl`, the only source of truth. Every report is a function of it. */

/** Version of the log, and of the JSON report made from it; readers refuse a newer major. */
export const EVENTS_VERSION = '1.9';

/** A case of the plan. */
export interface PlannedCase {
  id: NonEmpty;
  name: string;
  /** 0-based index among all cases of its suite, planned or not. Merging sorts by it. */
  index?: Count;
  /** Its file, if that is not the file of the suite, as in a directory of programs. */
  file?: string;
  line: Line;
  title: string;
  level: 'must' | 'should' | 'may' | 'opt';
  covers: string[];
  tags: string[];
  /** Reported but not counted: in the profile of a framework release, cases that its common workflows do not reach. */
  informative?: boolean;
}

/** If only a part of the profile's cases was selected. A sharded run has some of the selected ones. */
export interface Selection {
  /** Cases that were selected. */
  cases: Count;
  /** Cases that could have been selected. */
  of: Count;
}

/** The log before it. Last member of its line. */
export interface Seal {
  /** Number of lines before this one. */
  lines: Count;
  /** SHA-256 of all bytes of the file before the `,"seal":` of this line. @pattern ^[0-9a-f]{64}$ */
  sha256: string;
}

export interface Host {
  name: string;
  os: string;
  arch: string;
  node: string;
  /** Options of Node itself, if it had any. @since log 1.9 */
  nodeArgv?: string[];
  /** As in `glibc 2.36`, if known. */
  libc?: string;
  cpus: Count;
  memoryBytes: Count;
}

/** The shard of the selection that the run covers, and what all shards must have in common. */
export interface Shard {
  /** Counted from 1. */
  index: Positive;
  count: Positive;
  /**
   * All selected cases, of which this shard has some: their number, and SHA-256 of their ids, sorted, one a line.
   * @since log 1.7
   */
  selection?: { cases: Count; sha256: string };
  /** The file of recorded durations by which the shards were balanced. @since log 1.7 */
  durations?: { file: string; sha256: string };
  /** Where a scheduler gave the shard. @since log 1.7 */
  from?: string;
  /** The id of the job of the scheduler. @since log 1.7 */
  job?: string;
}

/** First line: tool, host, plugins and options of the run. */
export interface HeaderEvent {
  type: 'header';
  version: FormatVersion;
  tool: {
    name: string;
    version: string;
    /** Of its own files, in a run of a mustpass list. @since log 1.9 @pattern ^[0-9a-f]{64}$ */
    sha256?: string;
  };
  startedAt: Instant;
  argv: string[];
  host: Host;
  /** Environment variables that affect plugins; values that look like secrets are replaced by [redacted]. */
  environment?: Record<string, string>;
  /** State for `run --resume`; a merged log has none. */
  invocation?: {
    /** The working directory. */
    cwd: string;
    /** Options of the command, as parsed. @shape LoggedOptions */
    options: Record<string, unknown>;
    /** The effective options and manifests; a run can be resumed only if they are the same. */
    settings?: Record<string, unknown>;
  };
  profile: string;
  numerics?: AccuracyInEffect;
  /** Configuration file that options came from. */
  config?: {
    file: string;
    /** Keys that took effect. */
    keys: string[];
    /** Keys that the command line overrode. */
    leftOut: string[];
  };
  /** Options of the verdict, so that every report made from the log agrees with the exit code. */
  options?: { strict?: boolean; acceptKnown?: boolean; allowFlaky?: boolean; strictExpectations?: boolean };
  /** The expectations files that were read, and the day that expiry dates are compared with. */
  expectations?: { files: { file: string; sha256: string }[]; date: Day };
  /** Missing if all cases of the profile were selected. @since log 1.8 */
  selection?: Selection;
  /**
   * The list that is run for a submission to the conformance programme, the number of its cases, and SHA-256 of its file.
   * @since log 1.8
   */
  mustpass?: { version: string; profile: string; cases: Count; sha256: string };
  shard?: Shard;
  plugins: { name: string; path: string }[];
  /** Beginning of the command that reproduces one case; the case id is appended. */
  reproduce: string;
}

/** A suite file and every case planned from it, in order. */
export interface SuiteEvent {
  type: 'suite';
  suite: NonEmpty;
  file: string;
  title: string;
  sha256: string;
  cases: PlannedCase[];
}

/**
 * Facts about a plugin of the run. Members of a later event about the same plugin replace earlier ones; `answers` are added up.
 */
export interface PluginEvent {
  type: 'plugin';
  plugin: PluginFacts;
}

/** Whether a framework release works with the first plugin; written by a run with that release as its profile. */
export interface FrameworkEvent {
  type: 'framework';
  verdict: FrameworkVerdict;
}

/** A worker process started or ended. */
export interface WorkerEvent {
  type: 'worker';
  worker: WorkerNumber;
  what: 'start' | 'exit';
  pid: Integer;
  atMs: Milliseconds;
  signal?: string;
  exitCode?: Integer;
  note?: string;
  /** Peak memory of the process, if it exited cleanly. */
  peakRssBytes?: Count;
}

/** A worker started a case. */
export interface StartEvent {
  type: 'start';
  id: NonEmpty;
  worker: WorkerNumber;
  atMs: Milliseconds;
}

/** An attempt at a case that will be repeated; `case` follows when all are done and contains them. */
export interface AttemptEvent {
  type: 'attempt';
  id: NonEmpty;
  worker: WorkerNumber;
  atMs: Milliseconds;
  attempt: Attempt;
}

/** The result of a case. */
export interface CaseEvent {
  type: 'case';
  id: NonEmpty;
  worker: WorkerNumber;
  atMs: Milliseconds;
  result: CaseResult;
}

/** The entries of all expectations files; near the end of the log, when the plugin is known. */
export interface ExpectationsEvent {
  type: 'expectations';
  entries: ExpectationEntry[];
}

/** What the run says about the list of its header, of the cases those that do not pass. @since log 1.8 */
export interface MustpassEvent {
  type: 'mustpass';
  judgement: Judgement;
}

/** A note on the whole run: an unclean exit, an internal error (`error`). */
export interface NoteEvent {
  type: 'note';
  level: 'info' | 'warning' | 'error';
  message: string;
  detail?: string;
  /** The plugin violated a MUST outside any case, for example by killing an idle worker; it fails the run. */
  breach?: boolean;
  fact?: NoteFact;
}

/**
 * The run, which had been killed or stopped, goes on in another process. Unfinished cases run now; atMs continues where it
 * stopped, so that the pause does not count.
 */
export interface ResumeEvent {
  type: 'resume';
  startedAt: Instant;
  argv: string[];
  atMs: Milliseconds;
  /**
   * How the previous session ended: without a footer, by a signal, or before all cases had run. Footers are removed when a run
   * is resumed.
   */
  after: 'cut-off' | 'interrupted' | 'stopped';
  /** Bytes of an incomplete line left by a kill, which were removed. */
  tornBytes: Count;
  /** All bytes that were removed from the end of the log: an incomplete line, the footer, an incomplete plan. @since log 1.9 */
  cutBytes?: Count;
  /** Ids of the cases that had begun and had no result: they run again. @since log 1.9 */
  repeated?: string[];
  /** The footer that was removed. Its seal shows that nothing else was. @since log 1.9 */
  footer?: FooterEvent;
}

/** Written at intervals, so that a log without a footer can be verified up to here. */
export interface CheckpointEvent {
  type: 'checkpoint';
  seal: Seal;
}

/** Last line of a run that ended, even if it was interrupted. */
export interface FooterEvent {
  type: 'footer';
  finishedAt: Instant;
  durationMs: Milliseconds;
  counts: Counts;
  /** @asType integer @minimum 0 @maximum 255 */
  exitCode: number;
  /** The reason for the exit code, on one line. */
  verdict: string;
  interrupted: boolean;
  /** In every log that this version writes. */
  seal?: Seal;
}

/**
 * Each line of the log is one of these objects. The first line is the header. Readers ignore unknown members and event types
 * of a newer minor version.
 */
export type Event =
  | HeaderEvent
  | SuiteEvent
  | PluginEvent
  | FrameworkEvent
  | WorkerEvent
  | StartEvent
  | AttemptEvent
  | CaseEvent
  | ExpectationsEvent
  | MustpassEvent
  | NoteEvent
  | ResumeEvent
  | CheckpointEvent
  | FooterEvent;

const OF_WORKERS = ['start', 'attempt', 'case', 'worker'] as const;

/** An event of a worker. Decided by type, because newer event types may have a property `worker` too. */
export const isOfWorker = (event: Event): event is Extract<Event, { type: (typeof OF_WORKERS)[number] }> =>
  (OF_WORKERS as readonly string[]).includes(event.type);
