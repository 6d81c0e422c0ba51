import type { CaseExpectation } from './expectation.ts';
import type { Cause, Finding } from './finding.ts';
import type { InvalidAccess } from './invalid-access.ts';
import type { NumericRecord } from './numeric-record.ts';
import type { Observation } from './observation.ts';
import type { ProgramMemory } from './program-memory.ts';
import type { Status } from './status.ts';
import type { Count, Integer, Milliseconds, WorkerNumber } from './values.ts';

/** Result of a case. */
export interface CaseResult {
  status: Status;
  findings: Finding[];
  /** Why it is unsupported, skipped or not run. */
  reason?: string;
  /** For `unsupported`: what the plugin does not offer, if it is one thing. */
  cause?: Cause;
  /** Wall time of the case in its worker, and the part of it in native calls; milliseconds. */
  durationMs: Milliseconds;
  nativeMs: Milliseconds;
  calls: Count;
  /** Time in each native function, milliseconds; functions below 0.05 ms in total are left out. */
  callMs?: Record<string, Milliseconds>;
  /**
   * Scheduling of the thread that calls the plugin, milliseconds: on a processor, and ready while others ran. The rest of the
   * time it waited for something. Only if the system reports it (Linux).
   */
  scheduling?: { runningMs: Milliseconds; waitingMs: Milliseconds };
  /** Last native call before the end (crash, timeout) and the signal or exit code. */
  inFlight?: string;
  signal?: string;
  exitCode?: Integer;
  /** The access to memory that ended the process, where it was seen. @since log 1.9 */
  access?: InvalidAccess;
  /** The process did not end again when the case was repeated. @since log 1.9 */
  sporadic?: true;
  /** It passes in a process of its own, and fails after these cases have used its process. @since log 1.9 */
  after?: After;
  /** Only of a case that did not pass. @since log 1.3 */
  trace?: CallTrace;
  stdout?: CapturedText;
  stderr?: CapturedText;
  numerics?: NumericRecord[];
  /** How the plugin behaves where several ways are right. @since log 1.6 */
  observed?: Observation[];
  /** The memory that compiled programs need, in cases that ask for it. @since log 1.9 */
  programMemory?: ProgramMemory[];
  /** The last result of PJRT_Buffer_IsOnCpu, in cases that call it. @since log 1.5 */
  buffersOnCpu?: boolean;
  /** The deviation of plugins/known that explains the failure, if one does. */
  knownDeviation?: { reason: string; evidence: string };
  /** The expectation, if an expectations file has an entry for the case. */
  expectation?: CaseExpectation;
  /** Every attempt in order, if there were several; the rest of the result is that of the deciding one. */
  attempts?: Attempt[];
}

/** One of several runs of a case: `--repeat`, `--rerun-failed`. */
export interface Attempt {
  status: Exclude<Status, 'flaky' | 'notrun'>;
  /**
   * Why it was made after the first one: requested in advance, because earlier ones failed, or because the first failed in a process
   * that other cases had used: then in one of its own.
   */
  why?: 'repeat' | 'rerun' | 'alone';
  worker: WorkerNumber;
  /** When it ended, milliseconds since the start of the run. */
  atMs: Milliseconds;
  durationMs: Milliseconds;
  /** Its most severe finding; none if it passed. */
  finding?: Finding;
}

/** What a case fails after. */
export interface After {
  /** Ids of the cases, in the order in which they ran: none of them can be left out. */
  cases: string[];
  /** It fails after some of the cases from the first to the last of these, with so many between them: not all could be tried. */
  further?: Count;
}

/** One native call of a case: a function of the C API, `Extension.function`, or another step such as `dlopen`. */
export interface TracedCall {
  call: string;
  /**
   * `OK` or an error code; `void` if the function returns nothing; `DEATH` or `HANG`: the process died in it, or was killed
   * because it did not return. Missing if it was still running on another thread when the case ended.
   */
  answer?: string;
  /** Missing if it did not return. */
  durationMs?: Milliseconds;
}

/** The last native calls of a case, oldest first. */
export interface CallTrace {
  /** Number of calls before them. */
  before: Count;
  calls: TracedCall[];
}

/** A captured stream: its head and tail, and the size of what was left out between them. */
export interface CapturedText {
  head: string;
  tail: string;
  omittedBytes: Count;
}
