import type { Run } from '../model/run.ts';
import type { Weighing } from '../verdict/breach.ts';

/**
 * Kinds of JUnit files. `strict` is valid for the schema of the Jenkins xUnit plugin; `common` adds what that schema
 * forbids and other readers like.
 */
export const JUNIT_FLAVORS = ['strict', 'common'] as const;

export type JunitFlavor = (typeof JUNIT_FLAVORS)[number];

/** What a report may be told beside the run itself. */
export interface ReportOptions extends Weighing {
  /** Written instead of the real host name, for output that is the same everywhere. */
  hostname?: string;
  /** `strict` where nothing is said. */
  junitFlavor?: JunitFlavor;
  /** Written instead of every real time, and durations become zero: two runs with equal results give equal files. */
  fixedTime?: Date;
  /** What requirements say, by id, for formats that can show it. */
  requirements?: ReadonlyMap<string, string>;
}

/** Writes a report piece by piece: a function of the run alone, so that it is the same live, from the log, and merged. */
export type ReportWriter = (run: Run, write: (chunk: string) => void, options: ReportOptions) => void;

/** A kind of report. */
export interface ReportFormat {
  /** As it is named on the command line. */
  name: string;
  /** Name of the file where the user gives none. */
  file: string;
  /** For whom it is, in a few words for help and documents. */
  description: string;
  /** Whether it shows what requirements say: {@link ReportOptions.requirements} should be given. */
  quotesRequirements?(options: ReportOptions): boolean;
  /** Formats that are not asked for cost nothing. */
  load(): Promise<ReportWriter>;
}
