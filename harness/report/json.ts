import { type Ability, abilities } from '../verdict/abilities.ts';
import { type ExpectationCounts, expectationCounts } from '../verdict/expectations.ts';
import { type ExtensionCapability, extensionAbilities } from '../verdict/extension-abilities.ts';
import { recordedVerdict, type Verdict } from '../verdict/verdict.ts';
import type { CaseResult, ExpectationEntry, FrameworkVerdict, PlannedCase, PluginFacts, Status } from './events.ts';
import { reproduceCommand } from './failure-text.ts';
import {
  type Counts,
  type Header,
  type Note,
  type Run,
  reasonOf,
  type SuiteRun,
  statusOf,
  suiteDurationMs,
} from './model.ts';
import { cleanText } from './sanitize.ts';

/** Version of schemas/report.schema.json. */
const REPORT_VERSION = '1.2';

/** Everything of the JSON report but the suites, which are written one at a time. */
export interface JsonReportHead extends Partial<Omit<Header, 'type' | 'version' | 'invocation' | 'expectations'>> {
  version: string;
  finishedAt?: string;
  durationMs?: number;
  /** Most memory that a worker held. */
  peakRssBytes?: number;
  /** The log has a footer: the run came to its end. */
  complete: boolean;
  interrupted: boolean;
  verdict: Verdict;
  summary: Counts & { suites: number; cases: number; knownDeviations: number } & ExpectationCounts;
  /** The expectations files of the run with their entries; undefined where it had none. */
  expectations?: NonNullable<Header['expectations']> & { entries: ExpectationEntry[] };
  /** `plugins` of the header, with what was found out about them. */
  plugins: (PluginFacts | { name: string; path: string })[];
  /** What each plugin can do, as far as the run tried it; in the order of `plugins`. */
  capabilities: JsonCapabilities[];
  /** What releases of frameworks make of the first plugin; only runs with such a profile ask. */
  frameworks: FrameworkVerdict[];
  notes: Omit<Note, 'type'>[];
}

/** The capability matrix of a plugin. */
interface JsonCapabilities {
  plugin: string;
  /** By function of the C API, in table order. */
  functions: Record<string, Ability>;
  /** By extension in the plugin's chain. */
  extensions: ExtensionCapability[];
}

export interface JsonReportCase extends PlannedCase, Partial<Omit<CaseResult, 'status'>> {
  status: Status;
  /** For cases that did not pass: the command that runs this one again. */
  reproduce?: string;
}

export interface JsonReportSuite {
  suite: string;
  file: string;
  title: string;
  sha256: string;
  durationMs: number;
  counts: Counts;
  cases: JsonReportCase[];
}

export interface JsonReport extends JsonReportHead {
  suites: JsonReportSuite[];
}

/** The JSON report of a run (schemas/report.schema.json) as a value; for files {@link writeJson} needs less memory. */
export const jsonReport = (run: Run): JsonReport => ({
  ...reportHead(run),
  suites: run.suites.map((suite) => reportSuite(run, suite)),
});

/** Writes the JSON report of a run, a suite at a time; the result is what `JSON.stringify` would give. */
export function writeJson(run: Run, write: (chunk: string) => void): void {
  const head = stringify(reportHead(run));
  write(`${head.slice(0, -2)},\n  "suites": [`);
  run.suites.forEach((suite, index) => {
    // Strings hold no raw line ends in JSON, so indenting by line cannot touch them.
    write(`${index === 0 ? '' : ','}\n    ${stringify(reportSuite(run, suite)).replaceAll('\n', '\n    ')}`);
  });
  write(run.suites.length === 0 ? ']\n}\n' : '\n  ]\n}\n');
}

const stringify = (value: unknown): string =>
  JSON.stringify(value, (_, entry) => (typeof entry === 'string' ? cleanText(entry) : entry), 2);

function reportHead(run: Run): JsonReportHead {
  const { header, footer } = run;
  const { type: _, version: __, plugins: named, invocation: ___, expectations, ...rest } = header ?? {};
  const knownDeviations = [...run.cases.values()].filter((item) => item.result?.knownDeviation).length;
  return {
    version: REPORT_VERSION,
    ...rest,
    ...(expectations ? { expectations: { ...expectations, entries: run.expectations ?? [] } } : {}),
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
      knownDeviations,
      ...expectationCounts(run),
    },
    plugins: run.plugins.length > 0 ? run.plugins.map(withSortedAnswers) : (named ?? []),
    capabilities: run.plugins.map((facts) => ({
      plugin: facts.name,
      functions: Object.fromEntries(abilities(facts)),
      extensions: extensionAbilities(facts),
    })),
    frameworks: run.frameworks,
    notes: run.notes.map(({ type: _, ...note }) => note),
  };
}

/** Which call came first depends on how cases were spread over workers and machines; the report does not. */
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

function reportSuite(run: Run, suite: SuiteRun): JsonReportSuite {
  return {
    suite: suite.suite,
    file: suite.file,
    title: suite.title,
    sha256: suite.sha256,
    durationMs: suiteDurationMs(suite),
    counts: suite.counts,
    cases: suite.cases.map((item) => {
      const status = statusOf(item);
      const quiet = status === 'pass' || status === 'unsupported' || status === 'skip';
      return {
        ...item.plan,
        ...item.result,
        status,
        reason: reasonOf(item),
        reproduce: quiet ? undefined : reproduceCommand(run, item.plan.id),
      };
    }),
  };
}
