import { type Ability, abilities } from '../verdict/abilities.ts';
import { isExpectedFailure, isUnexpectedPass, type Weighing, weighingOf } from '../verdict/breach.ts';
import { staleEntries, staleText } from '../verdict/expectations.ts';
import { frameworkLine, recordedVerdict, type Verdict, verdict } from '../verdict/verdict.ts';
import type { PluginFacts } from './events.ts';
import { rankedFindings, reproduceCommand } from './failure-text.ts';
import type { ReportOptions } from './format.ts';
import { type Outcome, type OutcomeElement, outcomeElement, outcomeOf } from './junit-outcome.ts';
import { caseProperties, type Property } from './junit-properties.ts';
import { type CaseRun, clockAt, type Note, type Run, type SuiteRun, suiteDurationMs, suiteStartMs } from './model.ts';
import { cleanLine, truncate } from './sanitize.ts';
import { type Attributes, XmlWriter } from './xml-writer.ts';

interface Testcase extends Outcome {
  name: string;
  durationMs: number;
  /** Only in the common flavour. */
  place?: { file: string; line: number };
  properties?: Property[];
}

/** A suite as it is written; cases are made one at a time, their texts are not kept. */
interface Testsuite {
  name: string;
  startMs: number;
  durationMs: number;
  file?: string;
  properties: Property[];
  cases: readonly (CaseRun | Testcase)[];
}

const STREAM_UNITS = 8192;

/** The JUnit file of a run as one string. */
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
 * Writes the JUnit file of a run (schemas/junit-strict.xsd, schemas/junit-common.xsd), piece by piece. It is red exactly when the verdict is
 * not 0: where no case of the plan shows why, a case of the synthetic suite `harness` does.
 */
export function writeJunit(run: Run, write: (chunk: string) => void, options: ReportOptions = {}): void {
  const context = new Context(run, options);
  const suites = context.suites();
  const totals = suites.map((suite) => context.tally(suite));
  const sum = (key: keyof Tally): number => totals.reduce((total, entry) => total + entry[key], 0);
  const xml = new XmlWriter(write);
  const plugins = run.header?.plugins.map((plugin) => plugin.name).join('+');
  const root: Attributes = {
    name: ['pjrt-conformance', plugins].filter(Boolean).join(' '),
    tests: sum('tests'),
    failures: sum('failures'),
    errors: sum('errors'),
    ...(context.common ? { skipped: sum('skipped') } : {}),
    time: context.seconds(
      run.footer?.durationMs ?? Math.max(0, ...suites.map((suite) => suite.startMs + suite.durationMs)),
    ),
    ...(context.common ? { timestamp: context.timestamp(0) } : {}),
  };
  xml.element('testsuites', root, () => {
    suites.forEach((suite, index) => {
      writeSuite(xml, context, suite, totals[index]!, index);
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

// Readers keep the ends of long output at most; the log has all that was captured.
const stream = (text: string): string => truncate(text, STREAM_UNITS, STREAM_UNITS, '; more in events.jsonl');

interface Tally {
  tests: number;
  failures: number;
  errors: number;
  skipped: number;
}

/** A run with the options it is written under. */
class Context {
  readonly run: Run;
  readonly options: ReportOptions;
  readonly weighing: Weighing;
  readonly verdict: Verdict;
  readonly hostname: string;
  readonly common: boolean;

  constructor(run: Run, options: ReportOptions) {
    const asked = weighingOf(options);
    this.run = run;
    this.options = options;
    this.weighing = { ...run.header?.options, ...asked };
    this.verdict = Object.keys(asked).length > 0 ? verdict(run, this.weighing) : recordedVerdict(run);
    this.common = options.junitFlavor === 'common';
    this.hostname = cleanLine(options.hostname ?? run.header?.host.name ?? '') || 'unknown';
  }

  /** Suites in byte order of their names, so that the order of execution does not show; empty ones have nothing to say. */
  suites(): Testsuite[] {
    const suites = this.run.suites
      .filter((suite) => suite.cases.length > 0)
      .map((suite) => this.#suite(suite))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    if (this.run.frameworks.length > 0) suites.push(this.#frameworks());
    const red = suites.some((suite) => suite.cases.some((item) => isRed(this.element(item))));
    const own = this.#harnessCases(red);
    if (own.length === 0) return suites;
    const harness: Testsuite = {
      name: 'harness',
      startMs: 0,
      durationMs: 0,
      properties: this.#provenance(),
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
      ...outcomeOf(this.run, item, this.weighing),
      ...(this.common ? this.#aboutCase(item) : {}),
    };
  }

  #aboutCase(item: CaseRun): Pick<Testcase, 'place' | 'properties'> {
    const line = (item.result && rankedFindings(item.result)[0]?.line) ?? item.plan.line;
    return {
      place: { file: item.suite.file, line },
      properties: caseProperties(item, this.options.requirements),
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
        ...this.#provenance(),
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

  /** Releases of frameworks, a case each: red when the release does not work with the plugin. */
  #frameworks(): Testsuite {
    const cases = this.run.frameworks.map((verdict): Testcase => {
      const { framework, version, outcome, message, limits, facts, untried, window } = verdict;
      const line = cleanLine(frameworkLine(verdict));
      const body = [
        line,
        ...(message === undefined ? [] : [`what the user sees: ${message}`]),
        ...limits.map((limit) => `limit: ${limit}`),
        ...untried.map((what) => `not tried: ${what}`),
        window.text,
        ...facts.map((fact) => `fact: ${fact}`),
      ].join('\n');
      const told = { name: `${framework}@${version}`, durationMs: 0 };
      if (outcome === 'works' || outcome === 'limits') return { ...told, out: body };
      if (outcome === 'unknown') return { ...told, element: 'skipped', message: `UNKNOWN: ${line}`, body };
      return { ...told, element: 'failure', type: `pjrt.Framework.${outcome}`, message: line, body };
    });
    return { name: 'framework', startMs: 0, durationMs: 0, properties: this.#provenance(), cases };
  }

  #harnessCases(red: boolean): Testcase[] {
    const { run } = this;
    const notes = [...this.#notesCases(), ...this.#staleCases()];
    if (this.verdict.exitCode === 0 && run.cases.size > 0) return notes;
    const cases = run.plugins.filter((facts) => facts.failure).map((facts) => this.#pluginCase(facts));
    cases.push(...notes);
    const ended = run.footer && !run.footer.interrupted;
    const fault = run.faults.length > 0 || run.notes.some((note) => note.level === 'error');
    if (!ended || fault || !(red || cases.some((item) => isRed(item.element)))) cases.push(this.#completionCase());
    return cases;
  }

  #pluginCase({ name, path, failure }: PluginFacts): Testcase {
    const code = failure?.code ? `${failure.code}: ` : '';
    const message = cleanLine(`${failure?.stage} of ${name} failed: ${code}${failure?.message}`);
    const body = [message, ` ${cleanLine(path)}`, `verdict: ${this.verdict.line}`].join('\n');
    const label = this.run.plugins.length > 1 ? `plugin loads[plugin=${name}]` : 'plugin loads';
    return { name: label, durationMs: 0, element: 'failure', type: `pjrt.Plugin.${failure?.stage}`, message, body };
  }

  /** What the run noticed outside its cases: a failure where a MUST was broken, else a pass with a remark. */
  #notesCases(): Testcase[] {
    const text = (note: Note): string => [note.message, note.detail].filter(Boolean).join('\n');
    const breaches = this.run.notes.filter((note) => note.breach);
    const warnings = this.run.notes.filter((note) => note.level === 'warning' && !note.breach);
    const cases: Testcase[] = [];
    if (breaches.length > 0) {
      const message = cleanLine(breaches[0]!.message);
      const body = [...breaches.map(text), `verdict: ${this.verdict.line}`].join('\n');
      cases.push({
        name: 'workers live between cases',
        durationMs: 0,
        element: 'failure',
        type: 'pjrt.Crash',
        message,
        body,
      });
    }
    if (warnings.length > 0) {
      const out = warnings.map((note) => `WARNING: ${text(note)}`).join('\n');
      cases.push({ name: 'warnings of the run', durationMs: 0, out });
    }
    return cases;
  }

  /** Entries of expectations files that say nothing any more: a failure where that counts, else a pass with a remark. */
  #staleCases(): Testcase[] {
    const stale = staleEntries(this.run).map(staleText);
    if (stale.length === 0) return [];
    const name = 'expectations are up to date';
    const body = stale.map((text) => ` ${text}`).join('\n');
    if (!this.weighing.strictExpectations) return [{ name, durationMs: 0, out: `WARNING:\n${body}` }];
    const message = cleanLine(`${stale.length} of ${this.run.expectations!.length} entries are out of date`);
    return [
      { name, durationMs: 0, element: 'failure', type: 'pjrt.StaleExpectation', message, body: `${message}\n${body}` },
    ];
  }

  #completionCase(): Testcase {
    const { run } = this;
    const why = cleanLine(
      run.cases.size === 0 && this.verdict.exitCode === 0 ? 'no case was planned' : this.verdict.line,
    );
    const errors = run.notes.filter((note) => note.level === 'error');
    const unfinished = [...run.running].map((item) => `was running: ${reproduceCommand(run, item.plan.id)}`);
    const body = [
      why,
      ...run.faults,
      ...errors.map((note) => (note.detail ? `${note.message}\n${note.detail}` : note.message)),
      ...unfinished,
      `${run.counts.notrun} of ${run.cases.size} planned cases did not run`,
    ].join('\n');
    return {
      name: 'run completed',
      durationMs: 0,
      element: 'error',
      type: 'pjrt.RunIncomplete',
      message: why,
      body,
    };
  }

  #provenance(): [string, string][] {
    const { header, plugins } = this.run;
    const known = plugins.length > 0 ? plugins : (header?.plugins ?? []);
    const properties: [string, string | undefined][] = [
      ['pjrt.tool.version', header?.tool.version],
      ['pjrt.profile', header?.profile],
      ['pjrt.host', header && `${header.host.os} ${header.host.arch}`],
      ['pjrt.node', header?.host.node],
      ['pjrt.shard', header?.shard && `${header.shard.index}/${header.shard.count}`],
      ['pjrt.strict', String(this.weighing.strict ?? false)],
      ['pjrt.accept-known', String(this.weighing.acceptKnown ?? false)],
      ['pjrt.allow-flaky', String(this.weighing.allowFlaky ?? false)],
      ...(header?.expectations?.files ?? []).map(({ file, sha256 }): [string, string] => [
        'pjrt.expectations',
        `${file} sha256 ${sha256}`,
      ]),
      ['pjrt.exit-code', String(this.verdict.exitCode)],
    ];
    known.forEach((plugin: Partial<PluginFacts>, index) => {
      const prefix = index === 0 ? 'pjrt.plugin' : `pjrt.plugin${index + 1}`;
      const { apiVersion } = plugin;
      properties.push(
        [`${prefix}.name`, plugin.name],
        [`${prefix}.path`, plugin.path],
        [`${prefix}.sha256`, plugin.sha256],
        [`${prefix}.build-id`, plugin.buildId],
        [`${prefix}.manifest`, plugin.manifest],
        [`${prefix}.options`, plugin.options?.join(' ')],
        [`${prefix}.api-version`, apiVersion && `${apiVersion.major}.${apiVersion.minor}`],
        [`${prefix}.platform`, plugin.platformName],
        [`${prefix}.platform-version`, plugin.platformVersion],
        ...abilityProperties(prefix, plugin),
      );
    });
    return properties.filter((entry): entry is [string, string] => entry[1] !== undefined);
  }
}

/** The capability matrix: how many functions can what, and by name those that are there and do not work. */
function abilityProperties(prefix: string, plugin: Partial<PluginFacts>): [string, string][] {
  if (!plugin.answers) return [];
  const names = new Map<Ability, string[]>();
  for (const [name, ability] of abilities(plugin as PluginFacts)) {
    names.set(ability, [...(names.get(ability) ?? []), name]);
  }
  return [...names].map(([ability, functions]) => [
    `${prefix}.functions.${ability}`,
    ability === 'works' || ability === 'absent' || ability === 'untried'
      ? String(functions.length)
      : `${functions.length}: ${functions.join(' ')}`,
  ]);
}

const isRed = (element: OutcomeElement | undefined): boolean => element === 'failure' || element === 'error';

/** Jenkins makes packages and classes of the dots; slashes and blanks would be read as paths and words. */
const dotted = (suite: string): string =>
  cleanLine(suite)
    .replaceAll('/', '.')
    .replace(/[^\w.-]/g, '_');
