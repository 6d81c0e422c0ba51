import type { Breadcrumb } from '../ffi/breadcrumb.ts';
import type { Finding } from '../report/events.ts';

/** What every native call of a worker is counted, timed and traced with. One per process. */
export class Instrument {
  readonly breadcrumb: Breadcrumb | undefined;
  /** Native calls, and milliseconds spent inside them, since the worker began. */
  calls = 0;
  nativeMs = 0;
  /** Called with every breach of the calling contract that is noticed on the way. */
  onFinding: (finding: Finding) => void = () => {};
  /** Argument blocks end at an inaccessible page. */
  guard = true;
  readonly #answers = new Map<string, Set<string>>();
  #news = new Map<string, Set<string>>();

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

  /** Runs a native call that does not go through an argument block (dlopen, GetPjrtApi, deleters, function tables). */
  native<T>(name: string, run: () => T): T {
    const crumb = this.breadcrumb;
    crumb?.enter(crumb.id(name));
    const start = performance.now();
    try {
      return run();
    } finally {
      this.nativeMs += performance.now() - start;
      this.calls++;
      crumb?.leave();
    }
  }
}
