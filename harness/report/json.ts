import { cleanText } from '../base/sanitize.ts';
import type { CaseResult } from '../model/case-result.ts';
import { EVENTS_VERSION, type PlannedCase } from '../model/events.ts';
import type { ExpectationEntry } from '../model/expectation.ts';
import type { FrameworkVerdict } from '../model/framework-verdict.ts';
import type { Judgement } from '../model/judgement.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import {
  type CaseRun,
  type Header,
  type Note,
  type Run,
  reasonOf,
  type SuiteRun,
  statusOf,
  suiteDurationMs,
} from '../model/run.ts';
import type { Counts, Status } from '../model/status.ts';
import type { Count, FormatVersion, Instant, Milliseconds, Positive } from '../model/values.ts';
import { type Ability, abilities } from '../verdict/abilities.ts';
import { type CauseIndex, causeIndex, type NumberedCause } from '../verdict/cause-index.ts';
import { causeCounts, causeEffect } from '../verdict/cause-text.ts';
import { type Exercised, exercised } from '../verdict/exercised.ts';
import { type ExpectationCounts, expectationCounts } from '../verdict/expectations.ts';
import { type ExtensionCapability, extensionAbilities } from '../verdict/extension-abilities.ts';
import type { CauseEffect } from '../verdict/root-causes.ts';
import { isKnown, redCounts } from '../verdict/standing.ts';
import { recordedVerdict, type Verdict } from '../verdict/verdict.ts';
import { violatedRequirementsOf } from '../verdict/violated-requirements.ts';
import { causeLine } from './cause-lines.ts';
import { reproduceCase } from './failure-text.ts';
import type { ReportOptions } from './format.ts';
import { type NumericSummary, numericSummary } from './numeric-summary.ts';
import { type ObservedRow, observedRows, type PrecisionRow, precision } from './precision.ts';
import { sourceLink } from './requirement-source.ts';

/** The JSON report without the suites, which are written one at a time. */
export interface JsonReportHead
  extends Partial<Omit<Header, 'type' | 'version' | 'invocation' | 'expectations' | 'numerics'>> {
  version: FormatVersion;
  finishedAt?: Instant;
  durationMs?: Milliseconds;
  /** Highest peak memory of a worker that exited cleanly. */
  peakRssBytes?: Count;
  /** Whether the log has a footer: the run came to its end. */
  complete: boolean;
  interrupted: boolean;
  verdict: Verdict;
  summary: Summary;
  /** The accuracy profile in effect, and a summary of all comparisons. */
  numerics?: NumericSummary;
  /** The numeric comparisons by operation and element type, in alphabetical order. @since log 1.6 */
  precision: PrecisionRow[];
  /** Behaviours of the plugin where several ways are right. @since log 1.6 */
  observed: ObservedRow[];
  /**
   * Root causes of everything that failed or could not be tried, in the order in which to look at them: those that fail the
   * run, those that warn, those that are known or expected, those that only block cases; in each of these MUSTs before SHOULDs,
   * wrong data of transfers and executions, then deaths, then the rest. Cases refer to them by number.
   * @since log 1.4
   */
  rootCauses: JsonRootCause[];
  /** How many requirements were exercised. @since log 1.4 */
  exercised: Exercised;
  /** The requirements that cases violate, by id; only in files, not in what the API returns. */
  requirements?: Record<string, ViolatedRequirement>;
  /** The expectations files of the run with their entries; undefined if it had none. */
  expectations?: NonNullable<Header['expectations']> & { entries: ExpectationEntry[] };
  /** `plugins` of the header, with the facts found in the run. */
  plugins: (PluginFacts | UnloadedPlugin)[];
  /** Capabilities of each plugin, as far as the run tried them; in the order of `plugins`. */
  capabilities: JsonCapabilities[];
  /** Verdicts of framework releases on the first plugin; only in runs with such a profile. */
  frameworks: FrameworkVerdict[];
  /** What it says about its mustpass list; only in such a run that has ended. @since log 1.8 */
  judgement?: Judgement;
  notes: Omit<Note, 'type'>[];
}

/** What a violated requirement says, and why plugins are held to it. @additionalProperties false */
interface ViolatedRequirement {
  text: string;
  source?: string;
  /** Where the document is that the source names first, if it is public. @since log 1.9 */
  link?: string;
}

/** The numbers of suites, of cases, and of cases by status. */
interface Summary extends Counts, ExpectationCounts {
  suites: Count;
  cases: Count;
  /** How many of these fail the run, or ended in an internal error. @since log 1.9 */
  failing: Counts;
  /** Root causes by the gravest that they do. @since log 1.9 */
  rootCauses: Record<CauseEffect, Count>;
  /** Cases of which the plugin's manifest explains what they violate, whether or not they fail the run. */
  knownDeviations: Count;
}

/** A plugin that was never loaded. @additionalProperties false */
interface UnloadedPlugin {
  name: string;
  path: string;
}

/** A root cause, with the defect and its effect in words. @additionalProperties false */
export interface JsonRootCause extends NumberedCause {
  /** What is wrong, on one line. */
  text: string;
  /** Its effect, in words. */
  effect: string;
}

/** What a plugin can do, as far as the cases of the run showed it. @additionalProperties false */
interface JsonCapabilities {
  /** Its name. */
  plugin: string;
  /** By function of the newest known version of the C API, in table order; empty if the plugin could not be loaded. */
  functions: Record<string, Ability>;
  /** The extensions of the plugin's chain, in its order. */
  extensions: ExtensionCapability[];
}

/** A planned case with its result; without one its status is notrun. */
export interface JsonReportCase extends PlannedCase, Partial<Omit<CaseResult, 'status'>> {
  status: Status;
  /** Number of its root cause. @since log 1.4 */
  rootCause?: Positive;
  /** For cases that did not pass: the command that reruns this one. */
  reproduce?: string;
}

/** A suite and its cases. */
export interface JsonReportSuite {
  suite: string;
  file: string;
  title: string;
  sha256: string;
  /** The sum of its cases. */
  durationMs: Milliseconds;
  counts: Counts;
  cases: JsonReportCase[];
}

/**
 * Made from events.jsonl; the members that both have mean the same. Strings are clean text: no terminal sequences, no
 * unprintable characters.
 */
export interface JsonReport extends JsonReportHead {
  suites: JsonReportSuite[];
}

/** The JSON report of a run (schemas/report.schema.json) as a value; for files, `writeJson` uses less memory. */
export function jsonReport(run: Run): JsonReport {
  const index = causeIndex(run);
  return {
    ...reportHead(run, index),
    suites: run.suites.map((suite) => ({
      ...suiteHead(suite),
      cases: suite.cases.map((item) => reportCase(run, index, item)),
    })),
  };
}

/** Writes the JSON report of a run, one case at a time; the result is that of `JSON.stringify`. */
export function writeJson(run: Run, write: (chunk: string) => void, options: ReportOptions = {}): void {
  const index = causeIndex(run);
  const head = { ...reportHead(run, index), ...violatedRequirements(run, options) };
  writeWithList(write, '', 'suites', head, run.suites, (suite, indent) => {
    writeWithList(write, indent, 'cases', suiteHead(suite), suite.cases, (item, at) => {
      write(stringify(reportCase(run, index, item), at));
    });
  });
  write('\n');
}

function violatedRequirements(run: Run, { requirements, bases }: ReportOptions): Pick<JsonReportHead, 'requirements'> {
  const ids = [...new Set([...run.cases.values()].flatMap(violatedRequirementsOf))].sort();
  const known = ids.flatMap((id) => {
    const [text, source] = [requirements?.get(id), bases?.get(id)];
    return text === undefined ? [] : [[id, { text, source, link: source && sourceLink(source) }] as const];
  });
  return known.length > 0 ? { requirements: Object.fromEntries(known) } : {};
}

/** Writes an object with one more member at its end: a list whose entries are written one by one. */
function writeWithList<T>(
  write: (chunk: string) => void,
  indent: string,
  member: string,
  head: object,
  list: readonly T[],
  writeEntry: (entry: T, indent: string) => void,
): void {
  const inner = `${indent}    `;
  write(`${stringify(head, indent).slice(0, -2 - indent.length)},\n${indent}  "${member}": [`);
  list.forEach((entry, index) => {
    write(`${index === 0 ? '' : ','}\n${inner}`);
    writeEntry(entry, inner);
  });
  write(list.length === 0 ? `]\n${indent}}` : `\n${indent}  ]\n${indent}}`);
}

// What may have to be cleaned in JSON: escapes of control characters and half characters, and what it does not escape.
const MAY_BE_UNCLEAN = /\\[urbf]|[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd]/;

/** A value as clean JSON. Looking for unclean text in the JSON is much faster than in every string of the value. */
function stringify(value: unknown, indent: string): string {
  const json = JSON.stringify(value, undefined, 2);
  const clean = MAY_BE_UNCLEAN.test(json) ? JSON.stringify(cleaned(value), undefined, 2) : json;
  // JSON strings contain no raw line ends, so indenting by line does not change them.
  return clean.replaceAll('\n', `\n${indent}`);
}

/** A value with every string in it clean; the same value if nothing had to change. */
export function cleaned<T>(value: T): T {
  if (typeof value === 'string') return cleanText(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [key, entry] of Object.entries(value)) {
    const clean = cleaned(entry);
    if (clean === entry) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    copy[key] = clean;
  }
  return (copy ?? value) as T;
}

/** The JSON report without the suites. */
export function reportHead(run: Run, { causes }: CauseIndex): JsonReportHead {
  const { header, footer } = run;
  const { type: _, version: __, plugins: named, invocation: ___, expectations, numerics: ____, ...rest } = header ?? {};
  const numerics = numericSummary(run);
  const weighing = header?.options ?? {};
  const knownDeviations = [...run.cases.values()].filter((item) => isKnown(item, weighing)).length;
  return {
    version: EVENTS_VERSION,
    ...rest,
    ...(expectations ? { expectations: { ...expectations, entries: run.expectations ?? [] } } : {}),
    ...(numerics ? { numerics } : {}),
    finishedAt: footer?.finishedAt,
    durationMs: footer?.durationMs,
    peakRssBytes: run.peakRssBytes,
    complete: footer !== undefined,
    interrupted: footer?.interrupted ?? false,
    verdict: recordedVerdict(run),
    summary: {
      suites: run.suites.length,
      cases: run.cases.size,
      ...run.counts,
      failing: redCounts(run, weighing),
      rootCauses: causeCounts(causes),
      knownDeviations,
      ...expectationCounts(run),
    },
    exercised: exercised(run),
    precision: precision(run),
    observed: observedRows(run),
    rootCauses: causes.map(({ number, kind, ...more }) => {
      const cause = { number, kind, ...more };
      return { number, kind, text: causeLine(cause), effect: causeEffect(cause), ...more };
    }),
    plugins: run.plugins.length > 0 ? run.plugins.map(withSortedAnswers) : (named ?? []),
    capabilities: run.plugins.map((facts) => ({
      plugin: facts.name,
      functions: Object.fromEntries(abilities(facts)),
      extensions: extensionAbilities(facts),
    })),
    frameworks: run.frameworks,
    ...(run.mustpass ? { judgement: run.mustpass } : {}),
    notes: run.notes.map(({ type: _, ...note }) => note),
  };
}

/** Sorted: which call came first depends on the distribution of cases over workers and machines. */
const withSortedAnswers = ({ answers, ...facts }: PluginFacts): PluginFacts => ({
  ...facts,
  ...(answers
    ? {
        answers: Object.fromEntries(
          Object.entries(answers)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, codes]) => [name, [...codes].sort()]),
        ),
      }
    : {}),
});

/** A suite without its cases. */
export const suiteHead = (suite: SuiteRun): Omit<JsonReportSuite, 'cases'> => ({
  suite: suite.suite,
  file: suite.file,
  title: suite.title,
  sha256: suite.sha256,
  durationMs: suiteDurationMs(suite),
  counts: suite.counts,
});

function reportCase(run: Run, index: CauseIndex, item: CaseRun): JsonReportCase {
  const status = statusOf(item);
  const quiet = status === 'pass' || status === 'unsupported' || status === 'skip';
  return {
    ...item.plan,
    ...item.result,
    status,
    reason: reasonOf(item),
    rootCause: index.of(item.plan.id)?.number,
    reproduce: quiet ? undefined : reproduceCase(run, item),
  };
}
