import { bump, type Histogram } from './histogram.ts';

/** What is counted of elements that pass. */
export interface Tally {
  histogram: Histogram;
  countAbsolute: number;
  maxUlp: number;
  maxUlpIndex: number;
}

/** Distances that are counted one by one; larger ones are counted together. */
export const COUNTED = 16;

/** Counts of a fast way through an array: by distance, and of elements that pass by the absolute bound alone. */
export class CloseTally {
  readonly counts = new Uint32Array(COUNTED + 2);
  absolute = 0;
  maxUlp = 0;
  maxUlpIndex = -1;

  /** Adds what was counted to what the rules counted. */
  addTo(tally: Tally): void {
    for (const [distance, elements] of this.counts.entries()) bump(tally.histogram, distance, elements);
    bump(tally.histogram, 'abs', this.absolute);
    tally.countAbsolute += this.absolute;
    if (this.maxUlpIndex < 0) return;
    const first = tally.maxUlpIndex < 0 || this.maxUlpIndex < tally.maxUlpIndex;
    if (tally.maxUlpIndex >= 0 && (this.maxUlp < tally.maxUlp || (this.maxUlp === tally.maxUlp && !first))) return;
    tally.maxUlp = this.maxUlp;
    tally.maxUlpIndex = this.maxUlpIndex;
  }
}
