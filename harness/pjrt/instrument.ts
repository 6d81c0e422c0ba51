import type { Breadcrumb } from '../ffi/breadcrumb.ts';
import type { Finding } from '../model/finding.ts';

/** Where the time of the calls of one function is added up. */
export interface CallTime {
  ms: number;
}

/** Functions that took less than this together say nothing, and would fill the log. */
const TELLING_MS = 0.05;

/** What every native call of a worker is counted, timed and traced with. One per process. */
export class Instrument {
  readonly breadcrumb: Breadcrumb | undefined;
  /** Native calls, and milliseconds spent inside them, since the worker began. */
  calls = 0;
  nativeMs = 0;
  /** Native calls in progress on other threads. */
  running = 0;
  /** Called with every breach of the calling contract that is noticed on the way. */
  onFinding: (finding: Finding) => void = () => {};
  /** Called before each native call, and after it with what came of it; for traces. */
  trace: ((name: string, after?: { ms: number; answer: string }) => void) | undefined;
  /** Argument blocks end at an inaccessible page. */
  guard = true;
  /** What calls are given to read does so, too. */
  guardsInputs = true;
  /** What PJRT_Buffer_IsOnCpu said last; who wants to know of a while resets it before. */
  buffersOnCpu: boolean | undefined;
  readonly #answers = new Map<string, Set<string>>();
  #news = new Map<string, Set<string>>();
  readonly #times = new Map<string, CallTime>();

  constructor(breadcrumb?: Breadcrumb) {
    this.breadcrumb = breadcrumb;
  }

  /** Takes down how a function answered: `OK`, or the name of an error code. */
  answered(name: string, answer: string): void {
    const known = this.#answers.get(name) ?? new Set();
    if (known.has(answer)) return;
    this.#answers.set(name, known.add(answer));
    this.#news.set(name, (this.#news.get(name) ?? new Set()).add(answer));
  }

  /** Answers that were not there when this was last asked, by function; undefined when there are none. */
  takeAnswers(): Record<string, string[]> | undefined {
    if (this.#news.size === 0) return undefined;
    const news = Object.fromEntries([...this.#news].map(([name, answers]) => [name, [...answers]]));
    this.#news = new Map();
    return news;
  }

  /** The time of one function; callers keep it, so that a call costs no look-up. */
  time(name: string): CallTime {
    const known = this.#times.get(name);
    if (known) return known;
    const time = { ms: 0 };
    this.#times.set(name, time);
    return time;
  }

  /** Milliseconds by function since this was last asked, but for functions that took next to nothing. */
  takeTimes(): Record<string, number> {
    const taken: Record<string, number> = {};
    for (const [name, time] of this.#times) {
      if (time.ms >= TELLING_MS) taken[name] = Math.round(time.ms * 1000) / 1000;
      time.ms = 0;
    }
    return taken;
  }

  /** Runs a native call that does not go through an argument block (dlopen, GetPjrtApi, deleters, function tables). */
  native<T>(name: string, run: () => T): T {
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
