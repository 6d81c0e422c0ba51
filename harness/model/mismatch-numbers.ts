import type { Count, NonNegative, Positive } from './values.ts';

/** The numbers of arrays that differ: how far they are apart, and the arrays themselves where they are small. */
export interface MismatchNumbers {
  dtype: string;
  /** Missing of arrays too large to count twice. */
  distances?: UlpDistances;
  /** Missing of arrays of more than {@link SMALL_ARRAY} elements. */
  elements?: DifferingElements;
  /** Other arrays of host data that the case has, operands among them, in the order in which it made them. */
  inputs?: NamedArray[];
}

/** Arrays with more elements are not in the log. */
export const SMALL_ARRAY = 64;

/**
 * Elements by distance in ULP. Bin 0 has those of distance 0, bin n > 0 those above 2^(n-2) and up to 2^(n-1): 0, 1, 2, 3 to 4,
 * 5 to 8, …
 */
export interface UlpDistances {
  /** Elements that pass. */
  within: Count[];
  beyond: Count[];
  /** Elements that pass only by the absolute bound; they are in no bin. */
  absolute?: Positive;
  /** Wrong elements without a distance: NaN, infinity, sign. They are in no bin. */
  noDistance?: Positive;
}

/** Two small arrays, row-major. */
interface DifferingElements {
  shape: Count[];
  expected: HexBits;
  actual: HexBits;
  /** Distance of each element; null: it has none. @maxItems 64 */
  ulp: (NonNegative | null)[];
  /** Row-major indices of the elements that are wrong. */
  wrong: Count[];
}

/** An array of host data; of a large one only type and shape. */
export interface NamedArray {
  name: string;
  dtype: string;
  shape: Count[];
  bits?: HexBits;
}

/** The bits of each element in hexadecimal, separated by spaces; of a complex one the real part, a comma, the imaginary one. @pattern ^[0-9a-f, ]*$ */
export type HexBits = string;
