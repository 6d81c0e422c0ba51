import type { Tally } from './close-tally.ts';

/**
 * Goes through an array without a call or an object for an element. It counts elements that pass by the simplest rules: their bits
 * are the same, or both are normal numbers, of one sign and within the bound in ULP, or within the absolute bound. Everything else
 * is left to the rules of compare.ts.
 */
export interface CloseElements {
  /** Counts the elements from one on. @returns the first that is left to the rules, or the number of elements */
  skip(from: number): number;
  /** Adds what was counted to what the rules counted. */
  addTo(tally: Tally): void;
}

/** The parts of complex numbers, one by one. */
export interface LaneDistances {
  /** In ULP if a lane passes by the simplest rules, or one of the constants below. */
  distance(lane: number): number;
}

/** It passes by the absolute bound alone. */
export const WITHIN_ABSOLUTE = -1;
/** It is left to the rules. */
export const LEFT = -2;

/** The bounds of all elements, and the byte that the output memory was filled with. */
export interface Closeness {
  ulp: number;
  atol?: number | undefined;
  poison: number | undefined;
}
