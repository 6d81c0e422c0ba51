import type { Attempt, CaseResult } from './case-result.ts';
import type { ExpectationEntry } from './expectation.ts';
import type { FrameworkVerdict } from './framework-verdict.ts';
import type { NoteFact } from './note-fact.ts';
import type { AccuracyProfile } from './numeric-record.ts';
import type { PluginFacts } from './plugin-facts.ts';
import type { Status } from './status.ts';

/** The event log: `events.jsonl`, the only source of truth. Every report is a function of it. */

/** Version of the log's schema (schemas/events.schema.json); readers refuse a newer major. */
export const EVENTS_VERSION = '1.5';

/** A case that the run is to make, as the plan names it. */
export interface PlannedCase {
  id: string;
  name: string;
  /** Place among all cases of its suite, also of those that are not planned; 0-based. Merging sorts by it. */
  index?: number;
  line: number;
  title: string;
  level: 'must' | 'should' | 'may' | 'opt';
  covers: string[];
  tags: string[];
  /** Its result is told and does not count: in the profile of a release, what everyday use of it does not reach. */
  informative?: boolean;
}

/** What stands before it in the log: number of lines, and SHA-256 of all bytes, those of its own line up to `,"seal"` too. */
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
        /** As in `glibc 2.36`, where it can be told. */
        libc?: string;
        cpus: number;
        memoryBytes: number;
      };
      /** Variables of the environment that matter for plugins, without secrets. */
      environment?: Record<string, string>;
      /** What `run --resume` goes by: the folder and the options of the command, as it understood them. */
      invocation?: {
        cwd: string;
        options: Record<string, unknown>;
        /** What options and manifests came to, for comparison. */
        settings?: Record<string, unknown>;
      };
      profile: string;
      /** The accuracy profile in force, and who chose it. */
      numerics?: { profile: AccuracyProfile; from: 'default' | 'option' | 'manifest' };
      /** Configuration file that options came from: keys that took effect, and keys that the command line set aside. */
      config?: { file: string; keys: string[]; leftOut: string[] };
      /** What the verdict was asked to do, so that every report made from the log agrees with the exit code. */
      options?: { strict?: boolean; acceptKnown?: boolean; allowFlaky?: boolean; strictExpectations?: boolean };
      /** The expectations files that were read, and the day against which expiry dates are held. */
      expectations?: { files: { file: string; sha256: string }[]; date: string };
      /** The part of the selection that this run is, counted from 1. */
      shard?: { index: number; count: number };
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
      /** At an orderly exit: most memory that the process ever held. */
      peakRssBytes?: number;
    }
  | { type: 'start'; id: string; worker: number; atMs: number }
  /** An attempt at a case that will be made again; `case` follows when all are done and has them all. */
  | { type: 'attempt'; id: string; worker: number; atMs: number; attempt: Attempt }
  | { type: 'case'; id: string; worker: number; atMs: number; result: CaseResult }
  /** The entries of all expectations files; near the end of the log, when it is known what the plugin is. */
  | { type: 'expectations'; entries: ExpectationEntry[] }
  /**
   * Something about the whole run: an unclean exit, a fault of the harness (`error`). `breach`: the plugin broke a MUST
   * outside any case, as when it takes down a worker that has nothing to do; it fails the run.
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
      /** Time of the run so far; the pause does not count. */
      atMs: number;
      /** How the sitting before it ended. */
      after: 'cut-off' | 'interrupted' | 'stopped';
      /** Bytes of a line torn by a kill that were taken out here. */
      tornBytes: number;
    }
  /** Now and then, so that a log without a footer can be checked up to here. */
  | { type: 'checkpoint'; seal: Seal }
  | {
      type: 'footer';
      finishedAt: string;
      durationMs: number;
      counts: Record<Status, number>;
      exitCode: number;
      /** One line: why this exit code. */
      verdict: string;
      interrupted: boolean;
      /** In every log that this version writes. */
      seal?: Seal;
    };

const OF_WORKERS = ['start', 'attempt', 'case', 'worker'] as const;

/** What a worker did or was given. By its type: a newer version may have given others a property `worker`. */
export const isOfWorker = (event: Event): event is Extract<Event, { type: (typeof OF_WORKERS)[number] }> =>
  (OF_WORKERS as readonly string[]).includes(event.type);
