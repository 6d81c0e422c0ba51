/** The event log: `events.jsonl`, the only source of truth. Every report is a function of it. */

/** Version of the log's schema (schemas/events.schema.json); readers refuse a newer major. */
export const EVENTS_VERSION = '1.4';

/**
 * What became of a case.
 * pass · warn (a SHOULD is broken, MUSTs hold) · fail (a MUST is broken) · crash (the process died in it) ·
 * timeout (a deadline passed) · flaky (of several attempts some held and some broke a requirement; it counts as a broken
 * one) · unsupported (an optional part that the plugin does not have) · skip (not applicable
 * here, or excluded, with the reason) · error (a fault of the harness or of the suite) · notrun (the run ended before it).
 */
export type Status =
  | 'pass'
  | 'warn'
  | 'fail'
  | 'crash'
  | 'timeout'
  | 'flaky'
  | 'unsupported'
  | 'skip'
  | 'error'
  | 'notrun';

export const STATUSES: readonly Status[] = [
  'pass',
  'warn',
  'fail',
  'crash',
  'timeout',
  'flaky',
  'unsupported',
  'skip',
  'error',
  'notrun',
];

/** One finding. `type` is stable and namespaced (`pjrt.NumericMismatch`, `pjrt.WrongError`, `pjrt.Crash` …). */
export interface Finding {
  type: string;
  level: 'must' | 'should' | 'info';
  /** One line, no addresses, no times, no temporary paths: trend tools compare it. */
  message: string;
  /** Further lines: tables, hex, expected and got. */
  detail?: string;
  /** Native call that it is about, e.g. `PJRT_Client_LookupDevice`. */
  call?: string;
  /** Of `pjrt.NullFunction`: the functions that are NULL. */
  calls?: string[];
  /** Error code that the call answered, where that is what is wrong. */
  code?: string;
  /** First line of the plugin's own message. */
  said?: string;
  /** 1-based line in the suite file. */
  line?: number;
  /** Requirement ids that it breaks. */
  requirements?: string[];
}

/**
 * Why something that a case needs is not there; reports count what was excused by it.
 * unimplemented: the call answers UNIMPLEMENTED · null: its slot is NULL · absent: not in this API version, or past the end of
 * the table · refused: the plugin does not take the element type · failed: another case answers for the call that failed.
 */
export interface Cause {
  kind: 'unimplemented' | 'null' | 'absent' | 'refused' | 'failed';
  /** A function of the C API, `Extension.function`, or an extension. */
  call: string;
  /** Of `failed` and `refused`: the error code. */
  code?: string;
  /** First line of the plugin's own message. */
  message?: string;
  /** Of `refused`: the element type, or the type and shape of an array: `f64`, `f32[0,3]`. */
  dtype?: string;
}

/** A captured stream: head and tail of what the plugin wrote, and how much was left out between them. */
export interface CapturedText {
  head: string;
  tail: string;
  omittedBytes: number;
}

/** The accuracy profiles, tightest first (docs/numerics.md). */
export const ACCURACY_PROFILES = ['strict', 'standard', 'relaxed'] as const;

export type AccuracyProfile = (typeof ACCURACY_PROFILES)[number];

/** Biggest deviation seen by the numeric comparisons of a case, also when it passed. */
export interface NumericRecord {
  what: string;
  /**
   * Largest distance of the elements that have one. Elements that only an absolute bound lets pass are left out, and so are
   * mismatches that no distance describes.
   */
  maxUlp: number;
  allowedUlp: number;
  /** Row-major index and bits of the worst element; one that no distance describes is worse than any that has one. */
  index: number;
  expectedBits: string;
  actualBits: string;
  /** Elements compared, and how many of them are beyond what is allowed. From here on: since 1.4 of the log. */
  elements?: number;
  mismatches?: number;
  /** Mismatches that no distance describes: NaN or infinity on one side alone, or the other sign. */
  nanMismatches?: number;
  infinityMismatches?: number;
  signMismatches?: number;
  /** Elements that pass by the absolute bound alone. */
  withinAbsolute?: number;
  /** The tightest accuracy profile that allows all this; where the bound is the same in every profile there is none. */
  meets?: AccuracyProfile | 'none';
}

/** One native call of a case: a function of the C API, `Extension.function`, or another step such as `dlopen`. */
export interface TracedCall {
  call: string;
  /**
   * `OK` or an error code; `void` where there is no answer to give; `DEATH` or `HANG`: the process died in it, or was ended
   * because it did not come back. Missing where it was running on another thread when the case ended.
   */
  answer?: string;
  /** Missing where it did not come back. */
  durationMs?: number;
}

/** The last native calls of a case, oldest first. */
export interface CallTrace {
  /** How many came before them. */
  before: number;
  calls: TracedCall[];
}

/** One of several runs of a case: `--repeat`, `--rerun-failed`. */
export interface Attempt {
  status: Exclude<Status, 'flaky' | 'notrun'>;
  /** Why it was made after the first one: asked for beforehand, or because the ones before had failed. */
  why?: 'repeat' | 'rerun';
  worker: number;
  /** When it ended, milliseconds since the start of the run. */
  atMs: number;
  durationMs: number;
  /** Its weightiest finding; none when it passed. */
  finding?: Finding;
}

/** What an entry of an expectations file makes of a result (docs/expectations.md). */
export interface CaseExpectation {
  /** Where the entry stands. */
  file: string;
  line: number;
  /** The statuses that it expects. */
  expect: Status[];
  reason: string;
  /** What the failure may break; one that breaks others is another failure. */
  requirements?: string[];
  issue?: string;
  owner?: string;
  /** Last day on which it excuses anything, YYYY-MM-DD. */
  expires?: string;
  /**
   * met: as expected, so it does not fail the run · unexpected-pass: nothing is broken any more, the entry is stale ·
   * different: another result than the expected one, which counts as if nothing were expected · expired: so does this.
   */
  outcome: 'met' | 'unexpected-pass' | 'different' | 'expired';
}

/** An entry of an expectations file, and whether it has a meaning for this run. */
export interface ExpectationEntry extends Pick<CaseExpectation, 'file' | 'line' | 'expect' | 'reason' | 'expires'> {
  /** Its globs. */
  cases: string[];
  /** unmatched: no case there is has such an id · elsewhere: its conditions are not those of this run. */
  standing: 'active' | 'expired' | 'unmatched' | 'elsewhere';
  /** Of `elsewhere`: the condition that does not hold. */
  why?: string;
}

export interface CaseResult {
  status: Status;
  findings: Finding[];
  /** Why it is unsupported, skipped or not run. */
  reason?: string;
  /** Of `unsupported`: what the plugin does not offer, where it is one thing. */
  cause?: Cause;
  /** Wall time of the case in its worker, and the part of it inside native calls; milliseconds. */
  durationMs: number;
  nativeMs: number;
  calls: number;
  /** Time inside each native function, milliseconds; functions that took less than 0.05 ms together are left out. */
  callMs?: Record<string, number>;
  /**
   * What the scheduler did with the thread that calls the plugin, milliseconds: on a processor, and ready to run while others
   * ran. The rest of the time it waited for something. Only where the system tells (Linux).
   */
  scheduling?: { runningMs: number; waitingMs: number };
  /** Last native call before the end (crash, timeout) and the signal or exit code. */
  inFlight?: string;
  signal?: string;
  exitCode?: number;
  /** Of a case that did not pass. */
  trace?: CallTrace;
  stdout?: CapturedText;
  stderr?: CapturedText;
  numerics?: NumericRecord[];
  /** The deviation of plugins/known that explains the failure, if one does. */
  knownDeviation?: { reason: string; evidence: string };
  /** What was expected of it, where an expectations file has an entry about the case. */
  expectation?: CaseExpectation;
  /** Every attempt, in order, where the case ran more than once; the rest of the result is that of the one that decides. */
  attempts?: Attempt[];
}

/** What is known of one plugin of the run. */
export interface PluginFacts {
  name: string;
  path: string;
  sha256: string;
  sizeBytes: number;
  /** Id that the linker gave the file, in hexadecimal. */
  buildId?: string;
  /** Known manifest that was applied, if any. */
  manifest?: string;
  /** Create options as they are given on the command line: `num_devices:int64=2`. */
  options?: string[];
  apiVersion?: { major: number; minor: number };
  /** `newer`: beyond the harness's table; `older`: below it; `known`. */
  versionStanding?: 'known' | 'newer' | 'older';
  tableBytes?: number;
  functions?: {
    inTable: number;
    known: number;
    nullSlots: string[];
    /** Of its version, left out by the size of the table, and there all the same. */
    behindEnd?: string[];
  };
  extensions?: {
    type: number;
    name: string;
    structSize: number;
    knownSizes: number[];
    slots: number;
    nullSlots: string[];
  }[];
  /** How each function answered during the run: `OK`, error codes, `DEATH` (the process died in it), `HANG`. */
  answers?: Record<string, string[]>;
  attributes?: Record<string, string | number | boolean | string[] | number[]>;
  platformName?: string;
  platformVersion?: string;
  devices?: { id: number; kind: string; debug: string }[];
  memories?: { id: number; kind: string }[];
  /** Why it could not be used: dlerror, refusal, the error of Client_Create. */
  failure?: { stage: 'load' | 'version' | 'initialize' | 'client'; message: string; code?: string };
}

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

/** What a release of a framework makes of the (first) plugin: the gate of `--profile jax@0.10.2`. */
export interface FrameworkVerdict {
  /** As in `jax@0.10.2`. */
  framework: string;
  version: string;
  title: string;
  date: string;
  apiMinor: number;
  outcome: 'works' | 'limits' | 'refuses' | 'aborts' | 'unknown';
  /** When it does not work. */
  moment?: string;
  reason: string;
  /** What the user sees. */
  message?: string;
  limits: string[];
  facts: string[];
  untried: string[];
  /** Where the plugin stands to what the framework promises. */
  window: {
    standing: 'inside' | 'outside' | 'newer' | 'unpromised';
    text: string;
    since?: string;
    oldestMinor?: number;
  };
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
  | { type: 'note'; level: 'info' | 'warning' | 'error'; message: string; detail?: string; breach?: boolean }
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
