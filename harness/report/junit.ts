import { cleanLine, truncate } from '../base/sanitize.ts';
import { type CaseRun, clockAt, fileOf, type Run, type SuiteRun, suiteDurationMs, suiteStartMs } from '../model/run.ts';
import { isExpectedFailure, isUnexpectedPass, type Weighing } from '../verdict/breach.ts';
import { type CauseIndex, causeIndex } from '../verdict/cause-index.ts';
import { type Exercised, exercised } from '../verdict/exercised.ts';
import { recordedVerdict, type Verdict } from '../verdict/verdict.ts';
import { rankedFindings } from './failure-text.ts';
import type { ReportOptions } from './format.ts';
import { frameworkCase } from './junit-framework.ts';
import { harnessCases } from './junit-harness.ts';
import { isRed, type OutcomeElement, outcomeElement, outcomeOf, type Testcase } from './junit-outcome.ts';
import { caseProperties, type Property } from './junit-properties.ts';
import { causeProperties, type JudgedRun, provenance } from './junit-provenance.ts';
import { type Attributes, XmlWriter } from './xml-writer.ts';

/** A suite as written; cases are generated one at a time, and their texts are not kept. */
interface Testsuite {
  name: string;
  startMs: number;
  durationMs: number;
  file?: string;
  properties: Property[];
  cases: readonly (CaseRun | Testcase)[];
}

const STREAM_UNITS = 8192;

/** The JUnit file of a run as a string. */
export function junitXml(run: Run, options: ReportOptions = {}): string {
  let xml = '';
  writeJunit(
    run,
    (chunk) => {
      xml += chunk;
    },
    options,
  );
  return xml;
}

/**
 * Writes the JUnit file of a run (schemas/junit-strict.xsd, schemas/junit-common.xsd), piece by piece. It has a
 * failure or an error if the run itself fails: if no case of the plan shows why, a case of the synthetic suite `harness`
 * does. A regression of the gate is in the JUnit file of the comparison.
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
  const parts = runs.flatMap((part) => {
    const context = new Context(part, options);
    return context.suites().map((suite) => ({ context, suite, tally: context.tally(suite) }));
  });
  const sum = (key: keyof Tally): number => parts.reduce((total, { tally }) => total + tally[key], 0);
  const xml = new XmlWriter(write);
  const [{ run }] = runs as [RunInJunit];
  const context = new Context(runs[0]!, options);
  const ends = parts.map(({ suite }) => suite.startMs + suite.durationMs);
  const durations = runs.flatMap((one) => one.run.footer?.durationMs ?? ends);
  const plugins = run.header?.plugins.map((plugin) => plugin.name).join('+');
  const root: Attributes = {
    name: ['pjrt-conformance', plugins].filter(Boolean).join(' '),
    tests: sum('tests'),
    failures: sum('failures'),
    errors: sum('errors'),
    ...(context.common ? { skipped: sum('skipped') } : {}),
    time: context.seconds(Math.max(0, ...durations)),
    ...(context.common ? { timestamp: context.timestamp(0) } : {}),
  };
  xml.element('testsuites', root, () => {
    parts.forEach((part, index) => {
      writeSuite(xml, part.context, part.suite, part.tally, index);
    });
  });
  write('\n');
}

function writeSuite(xml: XmlWriter, context: Context, suite: Testsuite, totals: Tally, id: number): void {
  const attributes: Attributes = {
    name: suite.name,
    ...totals,
    time: context.seconds(suite.durationMs),
    timestamp: context.timestamp(suite.startMs),
    hostname: context.hostname,
    id,
    package: 'pjrt',
    file: suite.file,
  };
  xml.element('testsuite', attributes, () => {
    writeProperties(xml, suite.properties);
    for (const item of suite.cases) writeCase(xml, context, suite, context.testcase(item));
  });
}

function writeProperties(xml: XmlWriter, properties: readonly Property[]): void {
  xml.element('properties', {}, () => {
    for (const [name, value] of properties) xml.element('property', { name, value });
  });
}

function writeCase(xml: XmlWriter, context: Context, suite: Testsuite, item: Testcase): void {
  const { element, message, type, body, reruns = [], out, err, properties = [] } = item;
  const attributes: Attributes = {
    classname: `pjrt.${suite.name}`,
    name: item.name,
    time: context.seconds(item.durationMs),
    ...item.place,
  };
  const children = (): void => {
    if (properties.length > 0) writeProperties(xml, properties);
    if (element) xml.element(element, { message, type }, body ?? message);
    for (const { element: name, message, type, body } of reruns) {
      xml.element(name, { message, type }, () => xml.element('stackTrace', {}, body));
    }
    if (out) xml.element('system-out', {}, stream(out));
    if (err) xml.element('system-err', {}, stream(err));
  };
  const isEmpty = !element && !out && !err && reruns.length === 0 && properties.length === 0;
  xml.element('testcase', attributes, isEmpty ? undefined : children);
}

// Readers keep at most the ends of long output; the log has everything captured.
const stream = (text: string): string => truncate(text, STREAM_UNITS, STREAM_UNITS, '; more in events.jsonl');

interface Tally {
  tests: number;
  failures: number;
  errors: number;
  skipped: number;
}

/** A run with the options of its report. */
class Context implements JudgedRun {
  readonly run: Run;
  readonly options: ReportOptions;
  readonly weighing: Weighing;
  readonly verdict: Verdict;
  readonly causes: CauseIndex;
  readonly exercised: Exercised;
  readonly hostname: string;
  readonly common: boolean;

  readonly #prefix: string;

  constructor({ run, group }: RunInJunit, options: ReportOptions) {
    this.run = run;
    this.#prefix = group === undefined ? '' : `${dotted(group)}.`;
    this.options = options;
    this.weighing = run.header?.options ?? {};
    this.verdict = recordedVerdict(run);
    this.causes = causeIndex(run);
    this.exercised = exercised(run);
    this.common = options.junitFlavor === 'common';
    this.hostname = cleanLine(options.hostname ?? run.header?.host.name ?? '') || 'unknown';
  }

  /** Suites in byte order of their names, independent of execution order; empty ones are omitted. */
  suites(): Testsuite[] {
    return this.#suites().map((suite) => ({ ...suite, name: `${this.#prefix}${suite.name}` }));
  }

  #suites(): Testsuite[] {
    const suites = this.run.suites
      .filter((suite) => suite.cases.length > 0)
      .map((suite) => this.#suite(suite))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    if (this.run.frameworks.length > 0) {
      const cases = this.run.frameworks.map(frameworkCase);
      suites.push({ name: 'framework', startMs: 0, durationMs: 0, properties: this.#properties(), cases });
    }
    const red = suites.some((suite) => suite.cases.some((item) => isRed(this.element(item))));
    const own = harnessCases(this, red);
    if (own.length === 0) return suites;
    const harness: Testsuite = {
      name: 'harness',
      startMs: 0,
      durationMs: 0,
      properties: this.#properties(),
      cases: own,
    };
    return [...suites, harness];
  }

  tally(suite: Testsuite): Tally {
    const tally: Tally = { tests: 0, failures: 0, errors: 0, skipped: 0 };
    for (const item of suite.cases) {
      const element = this.element(item);
      tally.tests++;
      if (element === 'failure') tally.failures++;
      if (element === 'error') tally.errors++;
      if (element === 'skipped') tally.skipped++;
    }
    return tally;
  }

  element = (item: CaseRun | Testcase): OutcomeElement | undefined =>
    'plan' in item ? outcomeElement(item, this.weighing) : item.element;

  testcase(item: CaseRun | Testcase): Testcase {
    if (!('plan' in item)) return item;
    return {
      name: item.plan.name,
      durationMs: item.result?.durationMs ?? 0,
      ...outcomeOf(this, item),
      ...(this.common ? this.#aboutCase(item) : {}),
    };
  }

  /** Causes first: readers that show properties should begin with them. */
  #properties = (cases?: readonly CaseRun[]): Property[] => [...causeProperties(this, cases), ...provenance(this)];

  #aboutCase(item: CaseRun): Pick<Testcase, 'place' | 'properties'> {
    const line = (item.result && rankedFindings(item.result)[0]?.line) ?? item.plan.line;
    return {
      place: { file: fileOf(item), line },
      properties: caseProperties(item, this.causes.of(item.plan.id), this.options.requirements),
    };
  }

  seconds = (milliseconds: number): string => {
    const shown = this.options.fixedTime || !Number.isFinite(milliseconds) ? 0 : Math.max(0, milliseconds) / 1000;
    return shown.toFixed(3);
  };

  timestamp(offsetMs: number): string {
    const at = this.options.fixedTime ?? new Date(clockAt(this.run, offsetMs));
    return at.toISOString().slice(0, 19);
  }

  #suite(suite: SuiteRun): Testsuite {
    const deviations = suite.cases.filter((item) => item.result?.knownDeviation).length;
    const expected = suite.cases.filter(({ plan, result }) => isExpectedFailure(plan, result, this.weighing)).length;
    const unexpected = suite.cases.filter(({ result }) => isUnexpectedPass(result)).length;
    return {
      name: dotted(suite.suite),
      startMs: suiteStartMs(suite),
      durationMs: suiteDurationMs(suite),
      file: suite.file,
      properties: [
        ...this.#properties(suite.cases),
        ['pjrt.suite.sha256', suite.sha256],
        ['pjrt.warnings', String(suite.counts.warn)],
        ['pjrt.known-deviations', String(deviations)],
        ['pjrt.expected-failures', String(expected)],
        ['pjrt.unexpected-passes', String(unexpected)],
        ['pjrt.flaky', String(suite.counts.flaky)],
      ],
      cases: suite.cases,
    };
  }
}

/** Jenkins derives packages and classes from dots; slashes and spaces would be read as paths and words. */
const dotted = (suite: string): string =>
  cleanLine(suite)
    .replaceAll('/', '.')
    .replace(/[^\w.-]/g, '_');
