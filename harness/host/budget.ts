/** How far the last cases may go beyond it, as a share of it. */
const GRACE = 0.02;

/** The time that a run has. No case begins after it, and one that still runs a little later is given up. */
export class Budget {
  readonly #ms: number;
  readonly #at: () => number;
  readonly #over = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #leftOut = 0;

  /** @param at milliseconds since the start of the run */
  constructor(ms: number, at: () => number) {
    this.#ms = ms;
    this.#at = at;
  }

  begin(): void {
    this.#timer = setTimeout(() => this.#over.abort(), this.#ms * (1 + GRACE) - this.#at());
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  get spent(): boolean {
    return this.#at() >= this.#ms;
  }

  /** Aborted when running cases are given up. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Cases without a result because of it. */
  get leftOut(): number {
    return this.#leftOut;
  }

  leaveOut(): void {
    this.#leftOut++;
  }
}
