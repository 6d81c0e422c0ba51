import type { Comparison } from './compare.ts';

/** Options of a comparison report. */
export interface ComparisonOptions {
  /** Replaces all real times, so that equal comparisons give equal files. */
  fixedTime?: Date;
}

/** Writes a comparison piece by piece; a pure function of the comparison. */
type ComparisonWriter = (comparison: Comparison, write: (chunk: string) => void, options: ComparisonOptions) => void;

/** A file format for comparisons. */
export interface ComparisonFormat {
  /** Name on the command line. */
  name: string;
  /** Default file name. */
  file: string;
  /** What every such file of this tool has at its beginning. */
  mark: RegExp;
  /** Intended readers, in a few words. */
  description: string;
  /** Loaded on demand. */
  load(): Promise<ComparisonWriter>;
}
