import type { Attempt, CaseResult } from './case-result.ts';
import type { ExpectationEntry } from './expectation.ts';
import type { FrameworkVerdict } from './framework-verdict.ts';
import type { Judgement } from './judgement.ts';
import type { NoteFact } from './note-fact.ts';
import type { AccuracyProfile } from './numeric-record.ts';
import type { PluginFacts } from './plugin-facts.ts';
import type { Status } from './status.ts';

/** The event log: `events.jsonl`, the only source of truth. Every report is a function of it. */

/** Version of the log's schema (schemas/events.schema.json); readers refuse a newer major. */
export const EVENTS_VERSION = '1.8';

/** A case of the plan. */
export interface PlannedCase {
  id: string;
  name: string;
  /** 0-based index among all cases of its suite, planned or not. Merging sorts by it. */
  index?: number;
  /** Its file, if that is not the file of the suite, as in a directory of programs. */
  file?: string;
  line: number;
  title: string;
  level: 'must' | 'should' | 'may' | 'opt';
  covers: string[];
  tags: string[];
  /** Reported but not counted: in the profile of a framework release, cases that its common workflows do not reach. */
  informative?: boolean;
}

/** A part of the cases of a profile. */
export interface Selection {
  /** Cases that were selected. */
  cases: number;
  /** Cases that could have been selected. */
  of: number;
}

/** The log before it: number of lines, and SHA-256 of all bytes, including those of its own line up to `,"seal"`. */
export interface Seal {
  lines: number;
  sha256: string;
}

export type Event =
  | {
      type: 'header';
      version: string;
      tool: { name: string; version: string };
      startedAt: string;
      argv: string[];
      host: {
        name: string;
        os: string;
        arch: string;
        node: string;
        /** As in `glibc 2.36`, if known. */
        libc?: string;
        cpus: number;
        memoryBytes: number;
      };
      /** Environment variables that matter for plugins, without secrets. */
      environment?: Record<string, string>;
      /** State for `run --resume`: the working directory and the parsed options of the command. */
      invocation?: {
        cwd: string;
        options: Record<string, unknown>;
        /** Effective options and manifests, for comparison. */
        settings?: Record<string, unknown>;
      };
      profile: string;
      /** The accuracy profile in effect, and where it was set. */
      numerics?: { profile: AccuracyProfile; from: 'default' | 'option' | 'manifest' };
      /** Configuration file that options came from: keys that took effect, and keys that the command line overrode. */
      config?: { file: string; keys: string[]; leftOut: string[] };
      /** Options of the verdict, so that every report made from the log agrees with the exit code. */
      options?: { strict?: boolean; acceptKnown?: boolean; allowFlaky?: boolean; strictExpectations?: boolean };
      /** The expectations files that were read, and the date for expiry. */
      expectations?: { files: { file: string; sha256: string }[]; date: string };
      /**
       * If only a part of the profile's cases was selected: how many, and how many there are. A sharded run has some of the
       * selected ones. Since 1.8.
       */
      selection?: Selection;
      /** The list that is run for a submission, the number of its cases, and SHA-256 of its file. Since 1.8. */
      mustpass?: { version: string; profile: string; cases: number; sha256: string };
      /** The shard of the selection, counted from 1. Since 1.7 also what all shards must have in common. */
      shard?: {
        index: number;
        count: number;
        /** All selected cases, of which this shard has some: their number, and SHA-256 of their ids, sorted, one a line. */
        selection?: { cases: number; sha256: string };
        /** The file of recorded durations by which the shards were balanced. */
        durations?: { file: string; sha256: string };
        /** Where a scheduler gave the shard, and the id of its job. */
        from?: string;
        job?: string;
      };
      plugins: { name: string; path: string }[];
      /** Prefix of the one-line reproduction command; the case id is appended. */
      reproduce: string;
    }
  | { type: 'suite'; suite: string; file: string; title: string; sha256: string; cases: PlannedCase[] }
  | { type: 'plugin'; plugin: PluginFacts }
  | { type: 'framework'; verdict: FrameworkVerdict }
  | {
      type: 'worker';
      worker: number;
      what: 'start' | 'exit';
      pid: number;
      atMs: number;
      signal?: string;
      exitCode?: number;
      note?: string;
      /** At an orderly exit: peak memory of the process. */
      peakRssBytes?: number;
    }
  | { type: 'start'; id: string; worker: number; atMs: number }
  /** An attempt at a case that will be repeated; `case` follows when all are done and contains them. */
  | { type: 'attempt'; id: string; worker: number; atMs: number; attempt: Attempt }
  | { type: 'case'; id: string; worker: number; atMs: number; result: CaseResult }
  /** The entries of all expectations files; near the end of the log, when the plugin is known. */
  | { type: 'expectations'; entries: ExpectationEntry[] }
  /** What the run says about the list of its header, of the cases those that do not pass. Since 1.8. */
  | { type: 'mustpass'; judgement: Judgement }
  /**
   * A note on the whole run: an unclean exit, an internal error (`error`). `breach`: the plugin violated a MUST outside any
   * case, for example by killing an idle worker; it fails the run.
   */
  | {
      type: 'note';
      level: 'info' | 'warning' | 'error';
      message: string;
      detail?: string;
      breach?: boolean;
      fact?: NoteFact;
    }
  /** The run, which had been killed or stopped, goes on in another process. */
  | {
      type: 'resume';
      startedAt: string;
      argv: string[];
      /** Time of the run so far, without the pause. */
      atMs: number;
      /** How the previous session ended. */
      after: 'cut-off' | 'interrupted' | 'stopped';
      /** Bytes of an incomplete line left by a kill, which were removed. */
      tornBytes: number;
    }
  /** Written periodically, so that a log without a footer can be verified up to here. */
  | { type: 'checkpoint'; seal: Seal }
  | {
      type: 'footer';
      finishedAt: string;
      durationMs: number;
      counts: Record<Status, number>;
      exitCode: number;
      /** The reason for the exit code, on one line. */
      verdict: string;
      interrupted: boolean;
      /** In every log that this version writes. */
      seal?: Seal;
    };

const OF_WORKERS = ['start', 'attempt', 'case', 'worker'] as const;

/** An event of a worker. Decided by type, because newer event types may have a property `worker` too. */
export const isOfWorker = (event: Event): event is Extract<Event, { type: (typeof OF_WORKERS)[number] }> =>
  (OF_WORKERS as readonly string[]).includes(event.type);
