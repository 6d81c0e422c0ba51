import { cleanLine, truncate } from '../base/sanitize.ts';
import { type CaseRun, clockAt, fileOf, type Run, type SuiteRun, suiteDurationMs, suiteStartMs } from '../model/run.ts';
import { isUnexpectedPass, type Weighing } from '../verdict/breach.ts';
import { type CauseIndex, causeIndex } from '../verdict/cause-index.ts';
import { type Exercised, exercised } from '../verdict/exercised.ts';
import { standingOf } from '../verdict/standing.ts';
import { recordedVerdict, type Verdict } from '../verdict/verdict.ts';
import { rankedFindings } from './failure-text.ts';
import type { ReportOptions } from './format.ts';
import {
  type CaseReader,
  isRed,
  type OutcomeElement,
  type Property,
  type Testcase,
  type Testsuite,
  writeJunitDocument,
} from './junit-document.ts';
import { frameworkCase } from './junit-framework.ts';
import { harnessCases } from './junit-harness.ts';
import { outcomeElement, outcomeOf } from './junit-outcome.ts';
import { caseProperties } from './junit-properties.ts';
import { causeProperties, type JudgedRun, provenance } from './junit-provenance.ts';

const STREAM_UNITS = 8192;

/** The JUnit file of a run as a string. */
export function junitXml(run: Run, options: ReportOptions = {}): string {
  let xml = '';
  writeJunit(run, (chunk) => (xml += chunk), options);
  return xml;
}

/**
 * Writes the JUnit file of a run. It has a failure or an error if the run itself fails: if no case of the plan shows why, a case
 * of the synthetic suite `harness` does. A regression of the gate is in the JUnit file of the comparison.
 */
export function writeJunit(run: Run, write: (chunk: string) => void, options: ReportOptions = {}): void {
  writeJunitOf([{ run }], write, options);
}

/** A run in a JUnit file of several. */
export interface RunInJunit {
  run: Run;
  /** Begins the names of its suites. */
  group?: string;
}

/** Writes one JUnit file of several runs of the same plugins at the same time. */
export function writeJunitOf(
  runs: readonly RunInJunit[],
  write: (chunk: string) => void,
  options: ReportOptions = {},
): void {
  const contexts = runs.map((one) => new Context(one, options));
  const [first] = contexts as [Context];
  const durations = contexts.flatMap(({ run }) => run.footer?.durationMs ?? run.suites.map(suiteEndMs));
  const plugins = first.run.header?.plugins.map((plugin) => plugin.name).join('+');
  const document = {
    name: ['pjrt-conformance', plugins].filter(Boolean).join(' '),
    durationMs: first.duration(Math.max(0, ...durations)),
    ...(options.junitFlavor === 'common' ? { startedAt: first.timestamp(0) } : {}),
    suites: contexts.flatMap((context) => context.suites()),
  };
  writeJunitDocument(document, write);
}

const suiteEndMs = (suite: SuiteRun): number => suiteStartMs(suite) + suiteDurationMs(suite);

// Readers keep at most the ends of long output; the log has everything captured.
const stream = (text: string | undefined): string | undefined =>
  text && truncate(text, STREAM_UNITS, STREAM_UNITS, '; more in events.jsonl');

type Suite = Testsuite<CaseRun | Testcase>;

/** A run with the options of its report. */
class Context implements JudgedRun, CaseReader<CaseRun | Testcase> {
  readonly run: Run;
  readonly options: ReportOptions;
  readonly weighing: Weighing;
  readonly verdict: Verdict;
  readonly causes: CauseIndex;
  readonly exercised: Exercised;
  readonly #prefix: string;

  constructor({ run, group }: RunInJunit, options: ReportOptions) {
    this.run = run;
    this.#prefix = group === undefined ? '' : `${dotted(group)}.`;
    this.options = options;
    this.weighing = run.header?.options ?? {};
    this.verdict = recordedVerdict(run);
    this.causes = causeIndex(run);
    this.exercised = exercised(run);
  }

  /** Suites in byte order of their names, independent of execution order; empty ones are omitted. */
  suites(): Suite[] {
    const suites = this.run.suites
      .filter((suite) => suite.cases.length > 0)
      .map((suite) => this.#suite(suite))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    if (this.run.frameworks.length > 0) {
      suites.push(this.#suiteOf('framework', this.run.frameworks.map(frameworkCase), this.#properties()));
    }
    const red = suites.some((suite) => suite.cases.some((item) => isRed(this.element(item))));
    const own = harnessCases(this, red);
    return own.length === 0 ? suites : [...suites, this.#suiteOf('harness', own, this.#properties())];
  }

  element = (item: CaseRun | Testcase): OutcomeElement | undefined =>
    'plan' in item ? outcomeElement(item, this.weighing) : item.element;

  testcase(item: CaseRun | Testcase): Testcase {
    const outcome = 'plan' in item ? this.#planned(item) : item;
    return { ...outcome, out: stream(outcome.out), err: stream(outcome.err) };
  }

  #planned(item: CaseRun): Testcase {
    return {
      name: item.plan.name,
      durationMs: this.duration(item.result?.durationMs ?? 0),
      ...outcomeOf(this, item),
      ...(this.options.junitFlavor === 'common' ? this.#aboutCase(item) : {}),
    };
  }

  /** Causes first: readers that show properties should begin with them. */
  #properties = (cases?: readonly CaseRun[]): Property[] => [...causeProperties(this, cases), ...provenance(this)];

  #aboutCase(item: CaseRun): Pick<Testcase, 'place' | 'properties'> {
    const line = (item.result && rankedFindings(item.result)[0]?.line) ?? item.plan.line;
    return {
      place: { file: fileOf(item), line },
      properties: caseProperties(item, this.causes.of(item.plan.id), this.options),
    };
  }

  duration = (milliseconds: number): number => (this.options.fixedTime ? 0 : milliseconds);

  timestamp = (offsetMs: number): string =>
    (this.options.fixedTime ?? new Date(clockAt(this.run, offsetMs))).toISOString();

  #suite(suite: SuiteRun): Suite {
    const count = (is: (item: CaseRun) => unknown): string => String(suite.cases.filter(is).length);
    const properties: Property[] = [
      ...this.#properties(suite.cases),
      ['pjrt.suite.sha256', suite.sha256],
      ['pjrt.warnings', count((item) => standingOf(item, this.weighing) === 'warned')],
      ['pjrt.known-deviations', count(({ result }) => result?.knownDeviation)],
      ['pjrt.expected-failures', count((item) => ['expected', 'waived'].includes(standingOf(item, this.weighing)))],
      ['pjrt.unexpected-passes', count(({ result }) => isUnexpectedPass(result))],
      ['pjrt.flaky', String(suite.counts.flaky)],
    ];
    const [startMs, durationMs] = [suiteStartMs(suite), suiteDurationMs(suite)];
    return this.#suiteOf(dotted(suite.suite), suite.cases, properties, { startMs, durationMs, file: suite.file });
  }

  #suiteOf(
    name: string,
    cases: readonly (CaseRun | Testcase)[],
    properties: Property[],
    { startMs = 0, durationMs = 0, file }: { startMs?: number; durationMs?: number; file?: string } = {},
  ): Suite {
    return {
      name: `${this.#prefix}${name}`,
      durationMs: this.duration(durationMs),
      startedAt: this.timestamp(startMs),
      hostname: cleanLine(this.options.hostname ?? this.run.header?.host.name ?? '') || 'unknown',
      file,
      properties,
      cases,
      reader: this,
    };
  }
}

/** Jenkins derives packages and classes from dots; slashes and spaces would be read as paths and words. */
const dotted = (suite: string): string =>
  cleanLine(suite)
    .replaceAll('/', '.')
    .replace(/[^\w.-]/g, '_');
