import type { Comparison } from './compare.ts';

/** What a comparison file may be told beside the comparison. */
export interface ComparisonOptions {
  /** Written instead of every real time: equal comparisons give equal files. */
  fixedTime?: Date;
}

/** Writes a comparison piece by piece: a function of the comparison alone. */
export type ComparisonWriter = (
  comparison: Comparison,
  write: (chunk: string) => void,
  options: ComparisonOptions,
) => void;

/** A kind of file that a comparison can be written in. */
export interface ComparisonFormat {
  /** As it is named on the command line. */
  name: string;
  /** Name of the file where the user gives none. */
  file: string;
  /** For whom it is, in a few words. */
  description: string;
  /** Formats that are not asked for cost nothing. */
  load(): Promise<ComparisonWriter>;
}
