/** The accuracy profiles, tightest first (docs/numerics.md). */
export const ACCURACY_PROFILES = ['strict', 'standard', 'relaxed'] as const;

export type AccuracyProfile = (typeof ACCURACY_PROFILES)[number];

/** Biggest deviation seen by the numeric comparisons of a case, also when it passed. */
export interface NumericRecord {
  what: string;
  /**
   * Largest distance of the elements that have one. Elements that only an absolute bound lets pass are left out, and so are
   * mismatches that no distance describes.
   */
  maxUlp: number;
  allowedUlp: number;
  /** Row-major index and bits of the worst element; one that no distance describes is worse than any that has one. */
  index: number;
  expectedBits: string;
  actualBits: string;
  /** Elements compared, and how many of them are beyond what is allowed. From here on: since 1.4 of the log. */
  elements?: number;
  mismatches?: number;
  /** Mismatches that no distance describes: NaN or infinity on one side alone, or the other sign. */
  nanMismatches?: number;
  infinityMismatches?: number;
  signMismatches?: number;
  /** Elements that pass by the absolute bound alone. */
  withinAbsolute?: number;
  /** The tightest accuracy profile that allows all this; where the bound is the same in every profile there is none. */
  meets?: AccuracyProfile | 'none';
}
