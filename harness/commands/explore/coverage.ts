/** How often each move and each pair was played. */
export interface WrittenCoverage {
  moves: Record<string, number>;
  pairs: Record<string, number>;
}

/** What was played how often: moves with the states of their things, and pairs of moves one after the other. */
export class Coverage {
  readonly #keys: Map<string, number>;
  readonly #pairs: Map<string, number>;

  /** @param written what `toJSON` gave */
  constructor(written: WrittenCoverage = { moves: {}, pairs: {} }) {
    this.#keys = new Map(Object.entries(written.moves));
    this.#pairs = new Map(Object.entries(written.pairs));
  }

  toJSON(): WrittenCoverage {
    return { moves: Object.fromEntries(this.#keys), pairs: Object.fromEntries(this.#pairs) };
  }

  count(key: string, after: string): void {
    this.#keys.set(key, (this.#keys.get(key) ?? 0) + 1);
    if (after === '') return;
    const pair = pairOf(key, after);
    this.#pairs.set(pair, (this.#pairs.get(pair) ?? 0) + 1);
  }

  /** How often a move was played, and how often after this one. */
  times(key: string, after: string): number {
    return (this.#keys.get(key) ?? 0) + (this.#pairs.get(pairOf(key, after)) ?? 0);
  }

  /** Different moves, and different pairs. */
  get size(): { moves: number; pairs: number } {
    return { moves: this.#keys.size, pairs: this.#pairs.size };
  }
}

const pairOf = (key: string, after: string): string => `${after} > ${key}`;
