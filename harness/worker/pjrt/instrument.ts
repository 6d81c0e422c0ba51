import type { Finding } from '../../model/finding.ts';
import type { Breadcrumb } from '../ffi/breadcrumb.ts';
import type { ProcessState } from '../ffi/process-state.ts';
import type { CallRecording } from './call-recording.ts';

/** Total time in calls of one function. */
export interface CallTime {
  ms: number;
}

/** Functions below this total are omitted: they are irrelevant, and would fill the log. */
const MIN_REPORTED_MS = 0.05;

/** Counters, timers and traces of a worker's native calls. One per process. */
export class Instrument {
  readonly breadcrumb: Breadcrumb | undefined;
  /** Native calls, and milliseconds in them, since the worker started. */
  calls = 0;
  nativeMs = 0;
  /** Native calls in progress on other threads. */
  running = 0;
  /** Called with every breach of the calling contract that is noticed on the way. */
  onFinding: (finding: Finding) => void = () => {};
  /** Called before each native call, and after it with its answer; for traces. */
  trace: ((name: string, after?: { ms: number; answer: string }) => void) | undefined;
  /** Writes every native call down with all that it leads to; for `export`. */
  recording: CallRecording | undefined;
  /** Called before a function of the C API is, with its address; for debuggers. */
  approach: ((name: string, address: bigint) => void) | undefined;
  /** Functions that are not called, because they never return. */
  avoided: ReadonlySet<string> = new Set();
  /** The call that succeeded last, whose answer is being read. */
  returned: string | undefined;
  /** What PJRT_Buffer_IsOnCpu said last; who wants to know of a while resets it before. */
  buffersOnCpu: boolean | undefined;
  /** The process before any plugin was mapped; undefined where the system does not show it. */
  processAtStart: ProcessState | undefined;
  /** Of several plugins: the process after each was loaded, and after each was initialized, in that order. */
  readonly processAfter: { plugin: string; what: 'dlopen' | 'PJRT_Plugin_Initialize'; state: ProcessState }[] = [];
  readonly #answers = new Map<string, Set<string>>();
  #news = new Map<string, Set<string>>();
  readonly #times = new Map<string, CallTime>();

  constructor(breadcrumb?: Breadcrumb) {
    this.breadcrumb = breadcrumb;
  }

  /** Records the answer of a function: `OK`, or the name of an error code. */
  answered(name: string, answer: string): void {
    const known = this.#answers.get(name) ?? new Set();
    if (known.has(answer)) return;
    this.#answers.set(name, known.add(answer));
    this.#news.set(name, (this.#news.get(name) ?? new Set()).add(answer));
  }

  /** Answers since the last call, by function; undefined if there are none. */
  takeAnswers(): Record<string, string[]> | undefined {
    if (this.#news.size === 0) return undefined;
    const news = Object.fromEntries([...this.#news].map(([name, answers]) => [name, [...answers]]));
    this.#news = new Map();
    return news;
  }

  /** The timer of one function; callers keep it to avoid a look-up in each call. */
  time(name: string): CallTime {
    const known = this.#times.get(name);
    if (known) return known;
    const time = { ms: 0 };
    this.#times.set(name, time);
    return time;
  }

  /** Milliseconds by function since the last call, without functions that took next to nothing. */
  takeTimes(): Record<string, number> {
    const taken: Record<string, number> = {};
    for (const [name, time] of this.#times) {
      if (time.ms >= MIN_REPORTED_MS) taken[name] = Math.round(time.ms * 1000) / 1000;
      time.ms = 0;
    }
    return taken;
  }

  /**
   * A native call begins in another process, on behalf of the case: it has a place in the breadcrumb like a call on another
   * thread.
   * @returns to be called with its answer
   */
  elsewhere(name: string): (answer: string, ms: number) => void {
    this.recording?.beyond('calls of other processes');
    const crumb = this.breadcrumb;
    this.trace?.(name);
    const call = crumb?.enterAsync(crumb.id(name)) ?? 0;
    this.calls++;
    return (answer, ms) => {
      this.nativeMs += ms;
      this.time(name).ms += ms;
      crumb?.leaveAsync(call, crumb.id(answer), ms);
      this.trace?.(name, { ms, answer });
    };
  }

  /**
   * Runs a native call without an argument block (dlopen, GetPjrtApi, deleters, function tables).
   * @param isRecorded whether a recording has it by other means
   */
  native<T>(name: string, run: () => T, isRecorded = false): T {
    if (!isRecorded) this.recording?.beyond(`${name}, which takes no argument block`);
    const crumb = this.breadcrumb;
    this.trace?.(name);
    const call = crumb?.enter(crumb.id(name)) ?? 0;
    const start = performance.now();
    try {
      return run();
    } finally {
      const took = performance.now() - start;
      this.nativeMs += took;
      this.time(name).ms += took;
      this.calls++;
      crumb?.leave(call, crumb.id('void'), took);
      this.trace?.(name, { ms: took, answer: 'back' });
    }
  }
}
