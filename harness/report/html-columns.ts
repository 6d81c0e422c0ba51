import { cleanLine } from '../base/sanitize.ts';
import type { NumericRecord } from '../model/numeric-record.ts';
import { type CaseRun, reasonOf, type SuiteRun, statusOf } from '../model/run.ts';
import { breachOf, isUnexpectedPass, type Weighing } from '../verdict/breach.ts';
import type { CauseIndex } from '../verdict/cause-index.ts';
import { isExcused, isKnown, isRed, standingOf } from '../verdict/standing.ts';
import { violatedRequirementsOf } from '../verdict/violated-requirements.ts';
import { headline } from './failure-text.ts';
import { isBeyond } from './numeric-summary.ts';

/** What the entries of columns are made of besides a case. */
export interface ColumnContext {
  suites: readonly SuiteRun[];
  index: CauseIndex;
  weighing: Weighing;
  timeless: boolean;
}

const bit = (value: unknown): 0 | 1 => (value ? 1 : 0);

/** Two decimals: a hundredth of a millisecond is below the precision of a clock in another process. */
const rounded = (value: number): number => Math.round(value * 100) / 100;

const instant = (value: number | undefined, { timeless }: ColumnContext): number | null =>
  timeless || value === undefined ? null : rounded(value);

const span = (value: number | undefined, { timeless }: ColumnContext): number => (timeless ? 0 : rounded(value ?? 0));

/** The fields of every case for lists, filters and the timeline, each with its entry for a case. */
const CASE = {
  id: ({ plan }) => cleanLine(plan.id),
  title: ({ plan }) => cleanLine(plan.title),
  /** Index into {@link HtmlHead.suites}. */
  suite: ({ suite }, { suites }) => suites.indexOf(suite),
  line: ({ plan }) => plan.line,
  level: ({ plan }) => plan.level,
  covers: ({ plan }) => plan.covers.map(cleanLine),
  tags: ({ plan }) => plan.tags.map(cleanLine),
  status: (item) => statusOf(item),
  /** Level of the violation, whatever the level of the case: a crash in a SHOULD case may violate a MUST. */
  breach: ({ plan, result }) => breachOf(plan.level, result) ?? null,
  /** Whether it fails the run. */
  fails: (item, { weighing }) => bit(isRed(item, weighing)),
  /** Whether it would, but is an accepted known deviation, or expected. */
  accepted: (item, { weighing }) => bit(isExcused(standingOf(item, weighing))),
  /** Whether it is reported but not counted. */
  informative: ({ plan }) => bit(plan.informative),
  /** Whether a known deviation explains it. */
  known: (item, { weighing }) => bit(isKnown(item, weighing)),
  /** Whether there is a {@link CaseDetail}. */
  detailed: (item, { timeless }) => bit(isDetailed(item, timeless)),
  durationMs: ({ result }, context) => span(result?.durationMs, context),
  nativeMs: ({ result }, context) => span(result?.nativeMs, context),
  calls: ({ result }) => result?.calls ?? 0,
  /** Milliseconds since the start of the run. */
  startMs: ({ startedAtMs }, context) => instant(startedAtMs, context),
  endMs: ({ finishedAtMs }, context) => instant(finishedAtMs, context),
  worker: ({ worker }, { timeless }) => (timeless ? null : (worker ?? null)),
  /** One line: what failed, or why it did not run. */
  message: (item) => messageOf(item),
  /** Native calls of its findings, and the one in progress when it ended. */
  about: ({ result }) =>
    [
      ...new Set([...(result?.findings.map(({ call }) => call) ?? []), result?.inFlight].flatMap((call) => call ?? [])),
    ].map(cleanLine),
  /** Requirements that it violates. */
  breaks: (item) => violatedRequirementsOf(item).map(cleanLine),
  /** Number of its root cause, or 0. */
  cause: ({ plan }, { index }) => index.of(plan.id)?.number ?? 0,
} satisfies Record<string, (item: CaseRun, context: ColumnContext) => unknown>;

const orNull = (text: string | undefined): string | null => (text === undefined ? null : cleanLine(text));

/** The fields of every numeric comparison. JSON has no infinity: null. */
const NUMERIC = {
  what: ({ what }) => cleanLine(what),
  maxUlp: ({ maxUlp }) => maxUlp,
  allowedUlp: ({ allowedUlp }) => allowedUlp,
  index: ({ index }) => index,
  expectedBits: ({ expectedBits }) => cleanLine(expectedBits),
  actualBits: ({ actualBits }) => cleanLine(actualBits),
  /** Whether it exceeds its bound. */
  beyond: (record) => bit(isBeyond(record)),
  nanMismatches: ({ nanMismatches = 0 }) => nanMismatches,
  infinityMismatches: ({ infinityMismatches = 0 }) => infinityMismatches,
  signMismatches: ({ signMismatches = 0 }) => signMismatches,
  withinAbsolute: ({ withinAbsolute = 0 }) => withinAbsolute,
  /** Null if the bound is the same in every profile, or the log is too old to have it. */
  meets: ({ meets = null }: { meets?: NumericRecord['meets'] | null }) => meets,
  op: ({ op }) => orNull(op),
  dtype: ({ dtype }) => orNull(dtype),
} satisfies Record<string, (record: NumericRecord) => unknown>;

type Columns<T extends Record<string, (...from: never[]) => unknown>> = { [K in keyof T]: ReturnType<T[K]>[] };

/** One array per column, one entry per case. */
export interface CaseColumns extends Columns<typeof CASE> {
  /** Files of cases that have one of their own, by position; if any has. */
  file?: Record<number, string>;
}

/** One array per column, one entry per comparison. */
export interface NumericColumns extends Columns<typeof NUMERIC> {
  /** Number of the case. */
  case: number[];
}

const columns = <T, C, R>(
  fields: Record<string, (item: T, context: C) => unknown>,
  items: readonly T[],
  context: C,
): R =>
  Object.fromEntries(
    Object.entries(fields).map(([name, entry]) => [name, items.map((item) => entry(item, context))]),
  ) as R;

export function caseColumns(items: readonly CaseRun[], context: ColumnContext): CaseColumns {
  const own = items.flatMap(({ plan }, i) => (plan.file === undefined ? [] : [[i, cleanLine(plan.file)]]));
  const file = own.length === 0 ? {} : { file: Object.fromEntries(own) };
  return { ...columns<CaseRun, ColumnContext, CaseColumns>(CASE, items, context), ...file };
}

export const numericColumns = (records: readonly { at: number; record: NumericRecord }[]): NumericColumns => ({
  case: records.map(({ at }) => at),
  ...columns<NumericRecord, void, Columns<typeof NUMERIC>>(
    NUMERIC,
    records.map(({ record }) => record),
    undefined,
  ),
});

function messageOf(item: CaseRun): string {
  if (isUnexpectedPass(item.result) && statusOf(item) === 'pass') return 'passed unexpectedly';
  return isQuiet(item) ? cleanLine(reasonOf(item) ?? '') : headline(item);
}

/** Whether it did not fail. */
export const isQuiet = (item: CaseRun): boolean => ['pass', 'unsupported', 'skip', 'notrun'].includes(statusOf(item));

/** Whether there is more to say of a case than its row. */
export const isDetailed = (item: CaseRun, timeless: boolean): boolean =>
  statusOf(item) === 'notrun' ||
  (item.result !== undefined &&
    (!isQuiet(item) ||
      item.result.attempts !== undefined ||
      item.result.expectation !== undefined ||
      (!timeless && Object.keys(item.result.callMs ?? {}).length > 0) ||
      item.result.findings.length > 0 ||
      hasOutput(item.result.stdout) ||
      hasOutput(item.result.stderr)));

const hasOutput = (captured: { head: string; tail: string } | undefined): boolean =>
  captured !== undefined && captured.head.length + captured.tail.length > 0;
