import type { CaseExpectation } from './expectation.ts';
import type { Cause, Finding } from './finding.ts';
import type { NumericRecord } from './numeric-record.ts';
import type { Status } from './status.ts';

/** What became of a case. */
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
  /** What PJRT_Buffer_IsOnCpu last said, in cases that ask it. */
  buffersOnCpu?: boolean;
  /** The deviation of plugins/known that explains the failure, if one does. */
  knownDeviation?: { reason: string; evidence: string };
  /** What was expected of it, where an expectations file has an entry about the case. */
  expectation?: CaseExpectation;
  /** Every attempt, in order, where the case ran more than once; the rest of the result is that of the one that decides. */
  attempts?: Attempt[];
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

/** A captured stream: head and tail of what the plugin wrote, and how much was left out between them. */
export interface CapturedText {
  head: string;
  tail: string;
  omittedBytes: number;
}
