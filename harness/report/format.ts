import type { PlannedCase } from '../model/events.ts';
import type { Run } from '../model/run.ts';
import type { CaseSource } from './case-source.ts';

/**
 * Flavours of JUnit files. `strict` is valid for the schema of the Jenkins xUnit plugin; `common` adds what that schema
 * forbids and other readers use.
 */
export const JUNIT_FLAVORS = ['strict', 'common'] as const;

export type JunitFlavor = (typeof JUNIT_FLAVORS)[number];

/** Level of a requirement; `caller` binds the framework, not the plugin. */
export type RequirementLevel = PlannedCase['level'] | 'caller';

/** Options of a report besides the run itself. What makes a run fail is in its header. */
export interface ReportOptions {
  /** Replaces the host name, for reproducible output. */
  hostname?: string;
  /** Default: `strict`. */
  junitFlavor?: JunitFlavor;
  /** Replaces all times, and durations become zero: two runs with equal results give equal files. */
  fixedTime?: Date;
  /** Texts of requirements by id, for formats that show them. */
  requirements?: ReadonlyMap<string, string>;
  /** Levels of requirements by id, for formats that show them. */
  levels?: ReadonlyMap<string, RequirementLevel>;
  /** Steps and programs of cases by id, for formats that show them. */
  sources?: ReadonlyMap<string, CaseSource>;
}

/** Writes a report piece by piece: a pure function of the run, so that it is the same live, from the log, and merged. */
type ReportWriter = (run: Run, write: (chunk: string) => void, options: ReportOptions) => void;

/** A report format. */
export interface ReportFormat {
  /** Name on the command line. */
  name: string;
  /** Default file name. */
  file: string;
  /** What every such file of this tool has at its beginning; absent if it may stay where another run writes, as input. */
  mark?: RegExp;
  /** Intended readers, in a few words for help and documents. */
  description: string;
  /** Whether it shows texts of requirements: {@link ReportOptions.requirements} should be given. */
  quotesRequirements?(options: ReportOptions): boolean;
  /** Whether it shows steps and programs: {@link ReportOptions.sources} should be given. */
  showsSources?: true;
  /** Loaded on demand. */
  load(): Promise<ReportWriter>;
}

/** The time of SOURCE_DATE_EPOCH, if the environment sets it. */
export function fixedTimeFrom(environment: Record<string, string | undefined>): Date | undefined {
  const epoch = environment.SOURCE_DATE_EPOCH;
  return epoch && /^\d{1,11}$/.test(epoch) ? new Date(Number(epoch) * 1000) : undefined;
}
