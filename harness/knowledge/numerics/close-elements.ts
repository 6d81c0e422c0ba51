import { bump, type Histogram } from './histogram.ts';

/** What is counted of elements that pass. */
interface Tally {
  histogram: Histogram;
  countAbsolute: number;
  maxUlp: number;
  maxUlpIndex: number;
}

/** The bounds of all elements, and the byte that the output memory was filled with. */
export interface Closeness {
  ulp: number;
  atol?: number | undefined;
  poison: number | undefined;
}

/** It passes by the absolute bound alone. */
export const WITHIN_ABSOLUTE = -1;
/** It is left to the rules. */
export const LEFT = -2;

/** Distances that are counted one by one; larger ones are counted together. */
const COUNTED = 16;

/**
 * A fast way through arrays that agree, as nearly all do, without an object for an element. It counts elements that pass by the
 * simplest rules: their bits are the same, or both are normal numbers, of one sign and within the bound in ULP, or within the
 * absolute bound. Everything else is left to the rules of compare.ts.
 */
export abstract class CloseElements {
  readonly #count: number;
  readonly #counts = new Uint32Array(COUNTED + 2);
  #absolute = 0;
  #maxUlp = 0;
  #maxUlpIndex = -1;

  constructor(count: number) {
    this.#count = count;
  }

  /** In ULP if an element passes by the simplest rules, or one of the constants above. */
  abstract distance(element: number): number;

  /** Counts the elements from one on. @returns the first that is left to the rules, or the number of elements */
  skip(from: number): number {
    const [count, counts] = [this.#count, this.#counts];
    let [maxUlp, maxUlpIndex] = [this.#maxUlp, this.#maxUlpIndex];
    let i = from;
    for (; i < count; i++) {
      const distance = this.distance(i);
      if (distance === LEFT) break;
      if (distance === WITHIN_ABSOLUTE) {
        this.#absolute++;
        continue;
      }
      counts[distance <= COUNTED ? distance : COUNTED + 1]!++;
      if (distance > maxUlp || maxUlpIndex < 0) {
        maxUlp = distance;
        maxUlpIndex = i;
      }
    }
    this.#maxUlp = maxUlp;
    this.#maxUlpIndex = maxUlpIndex;
    return i;
  }

  /** Adds what was counted to what the rules counted. */
  addTo(tally: Tally): void {
    for (const [distance, elements] of this.#counts.entries()) bump(tally.histogram, distance, elements);
    bump(tally.histogram, 'abs', this.#absolute);
    tally.countAbsolute += this.#absolute;
    const [ulp, index] = [this.#maxUlp, this.#maxUlpIndex];
    if (index < 0) return;
    const first = tally.maxUlpIndex < 0 || index < tally.maxUlpIndex;
    if (tally.maxUlpIndex >= 0 && (ulp < tally.maxUlp || (ulp === tally.maxUlp && !first))) return;
    tally.maxUlp = ulp;
    tally.maxUlpIndex = index;
  }
}
