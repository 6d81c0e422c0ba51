/** The accuracy profiles, tightest first (docs/numerics.md). */
export const ACCURACY_PROFILES = ['strict', 'standard', 'relaxed'] as const;

export type AccuracyProfile = (typeof ACCURACY_PROFILES)[number];

/** Largest deviation in the numeric comparisons of a case, also if it passed. */
export interface NumericRecord {
  what: string;
  /**
   * Largest distance of the elements that have one. Elements that pass only by an absolute bound, and mismatches without a
   * distance, are left out.
   */
  maxUlp: number;
  allowedUlp: number;
  /** Row-major index and bits of the worst element; one without a distance is worse than any with one. */
  index: number;
  expectedBits: string;
  actualBits: string;
  /** Number of compared elements, and of those beyond the bound. From here on: since 1.4 of the log. */
  elements?: number;
  mismatches?: number;
  /** Mismatches without a distance: NaN or infinity on one side only, or different signs. */
  nanMismatches?: number;
  infinityMismatches?: number;
  signMismatches?: number;
  /** Elements that pass only by the absolute bound. */
  withinAbsolute?: number;
  /** The tightest accuracy profile that allows this; missing if the bound is the same in every profile. */
  meets?: AccuracyProfile | 'none';
}
