/** More time between two looks than this is time in which this process was stopped, or had no processor. */
const MOST_MS = 1000;

/** The time in which workers were watched: what passed unseen, as after Ctrl-Z, counts for no deadline. */
export class WatchClock {
  readonly #time: () => number;
  #last: number;
  #unseen = 0;

  constructor(time = () => performance.now()) {
    this.#time = time;
    this.#last = time();
  }

  /** A look at the workers. @param counts whether the time since the last one counts: not while a debugger has a worker */
  tick(counts = true): void {
    const now = this.#time();
    this.#unseen += Math.max(0, now - this.#last - (counts ? MOST_MS : 0));
    this.#last = now;
  }

  get now(): number {
    return this.#time() - this.#unseen;
  }
}
