import type { Count, Distance, Integer, NonNegative, Positive } from './values.ts';

/** The accuracy profiles, tightest first (docs/numerics.md). */
export const ACCURACY_PROFILES = ['strict', 'standard', 'relaxed'] as const;

export type AccuracyProfile = (typeof ACCURACY_PROFILES)[number];

/** The accuracy profile in effect, and where it was set. */
export interface AccuracyInEffect {
  profile: AccuracyProfile;
  from: 'default' | 'option' | 'manifest';
}

/** Largest deviation in the numeric comparisons of a case, also if it passed. */
export interface NumericRecord {
  what: string;
  /**
   * Largest distance of the elements that have one. Elements that pass only by an absolute bound, and mismatches without a
   * distance, are left out.
   */
  maxUlp: Distance;
  allowedUlp: Distance;
  /** Row-major index and bits of the worst element; one without a distance is worse than any with one. */
  index: Integer;
  expectedBits: string;
  actualBits: string;
  /** Number of compared elements, and of those beyond the bound. From here on: since log 1.4. */
  elements?: Count;
  mismatches?: Count;
  /** Mismatches without a distance: NaN or infinity on one side only, or different signs. */
  nanMismatches?: Positive;
  infinityMismatches?: Positive;
  signMismatches?: Positive;
  /** Elements that pass only by the absolute bound. */
  withinAbsolute?: Positive;
  /** The tightest accuracy profile that allows this; missing if the bound is the same in every profile. */
  meets?: AccuracyProfile | 'none';
  /** The operation whose bound applies, by its name in StableHLO. From here on: since log 1.6. */
  op?: string;
  dtype?: string;
  /** Elements without any deviation. */
  exact?: Count;
  /** The place of `index` in an array of several dimensions. */
  at?: Count[];
  /** Decimal values of the worst element; missing if nothing deviates. */
  expected?: string;
  actual?: string;
  /** The operands of the worst element, if the case gives them and something deviates. */
  operands?: { dtype: string; bits: string; value: string }[];
  /** What each profile allows. */
  bounds?: Record<AccuracyProfile, NumericLimits>;
  /** The error by the order of the operand, or of the result, if something deviates. */
  byOrder?: UlpByOrder;
}

/** Allowed error: ULP, `growth` more for each unit of the operand's magnitude, rounded down; or an absolute difference. */
export interface NumericLimits {
  ulp: NonNegative;
  growth?: NonNegative;
  atol?: NonNegative;
}

/**
 * The largest error in ULP by sign and order (binary exponent) of the operand or of the expected result. -1: no element is in the
 * bin; null: one has no distance. Elements that pass only by the absolute bound do not count.
 */
export interface UlpByOrder {
  of: 'operand' | 'result';
  /** First and last exponent of each bin; orders without an element are in none. @maxItems 32 */
  orders: [first: Integer, last: Integer][];
  negative: UlpBins;
  positive: UlpBins;
  /** At zero, if there is such an element. */
  zero?: NonNegative | null;
}

/** @maxItems 32 */
type UlpBins = (UlpOfBin | null)[];

/** @minimum -1 */
type UlpOfBin = number;
