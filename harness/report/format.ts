import { didYouMean } from '../base/did-you-mean.ts';
import { refuseDash } from '../base/refuse-dash.ts';
import { UsageError } from '../base/usage-error.ts';
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
  /** Why plugins are held to requirements, by id: their sources. */
  bases?: ReadonlyMap<string, string>;
  /** Levels of requirements by id, for formats that show them. */
  levels?: ReadonlyMap<string, RequirementLevel>;
  /** Steps and programs of cases by id, for formats that show them. */
  sources?: ReadonlyMap<string, CaseSource>;
}

/** Options of a report of a comparison. */
export type ComparisonOptions = Pick<ReportOptions, 'fixedTime'>;

/** What reports quote of requirements. */
export type RequirementTexts = Pick<ReportOptions, 'requirements' | 'bases'>;

/** A file format for runs, or for comparisons of them. */
export interface Format<T, Options> {
  /** Name on the command line. */
  name: string;
  /** Default file name. */
  file: string;
  /** What every such file of this tool has at its beginning; absent if it may stay where another run writes, as input. */
  mark?: RegExp;
  /** Intended readers, in a few words for help and documents. */
  description: string;
  /** Loaded on demand: writes piece by piece, a pure function, so that it is the same live, from the log, and merged. */
  load(): Promise<(value: T, write: (chunk: string) => void, options: Options) => void>;
}

/** A report format. */
export interface ReportFormat extends Format<Run, ReportOptions> {
  /** Whether it shows texts of requirements that are not violated: {@link ReportOptions.requirements} should be given. */
  quotesRequirements?(options: ReportOptions): boolean;
  /** Whether it shows steps and programs: {@link ReportOptions.sources} should be given. */
  showsSources?: true;
}

/** The time of SOURCE_DATE_EPOCH, if the environment sets it. */
export function fixedTimeFrom(environment: Record<string, string | undefined>): Date | undefined {
  const epoch = environment.SOURCE_DATE_EPOCH;
  return epoch && /^\d{1,11}$/.test(epoch) ? new Date(Number(epoch) * 1000) : undefined;
}

/** The format that the value of an option names. @param kind what it is called if it does not exist @throws UsageError */
export function formatNamed<F extends { name: string }>(
  formats: readonly F[],
  name: string,
  [option, value]: readonly [option: 'report' | 'format', value: string],
  kind = 'format',
): F {
  const found = formats.find((format) => format.name === name);
  if (found) return found;
  const names = formats.map((format) => format.name);
  const hint = didYouMean(name, names) ?? `there are ${names.join(', ')}`;
  throw new UsageError(`--${option} ${value}: there is no ${kind} ${name}; ${hint}`, { options: [option] });
}

/** What `format` or `format=file` asks for. @throws UsageError */
export function requestedFile<F extends { name: string }>(
  entry: string,
  formats: readonly F[],
  kind?: string,
): { format: F; file: string | undefined } {
  const at = entry.indexOf('=');
  const format = formatNamed(formats, at === -1 ? entry : entry.slice(0, at), ['report', entry], kind);
  if (at === -1) return { format, file: undefined };
  const file = entry.slice(at + 1);
  if (file === '') throw new UsageError(`--report ${entry}: expected a file name after the =`, { options: ['report'] });
  refuseDash('report', entry, file);
  return { format, file };
}
