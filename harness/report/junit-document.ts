import { type Attributes, XmlWriter } from './xml-writer.ts';

export type OutcomeElement = 'failure' | 'error' | 'skipped';

/** A `<property>`. */
export type Property = readonly [name: string, value: string];

/** A failed attempt as Jenkins reads it: of a case that passed in the end, or of one that did not. */
export interface Rerun {
  element: 'flakyFailure' | 'rerunFailure';
  message: string;
  type: string;
  body: string;
}

/** Content of a `<testcase>` besides its name. No element means that it passed. */
export interface Outcome {
  element?: OutcomeElement;
  type?: string;
  message?: string;
  body?: string;
  reruns?: Rerun[];
  out?: string;
  err?: string;
}

/** A `<testcase>`. */
export interface Testcase extends Outcome {
  name: string;
  durationMs: number;
  /** Only in the common flavour. */
  place?: { file: string; line: number };
  properties?: readonly Property[];
}

/** Whether it fails the build. */
export const isRed = (element: OutcomeElement | undefined): boolean => element === 'failure' || element === 'error';

/** Makes test cases of what a suite has, one at a time, so that their texts are not kept. */
export interface CaseReader<C> {
  /** Cheap, because counts are written before the cases. */
  element(item: C): OutcomeElement | undefined;
  testcase(item: C): Testcase;
}

/** Of what is a test case already. */
export const AS_IT_IS: CaseReader<Testcase> = { element: ({ element }) => element, testcase: (item) => item };

/** A `<testsuite>`. */
export interface Testsuite<C> {
  name: string;
  durationMs: number;
  startedAt: string;
  hostname: string;
  file?: string;
  properties: readonly Property[];
  cases: readonly C[];
  reader: CaseReader<C>;
}

/** A `<testsuites>`. */
interface JunitDocument<C> {
  name: string;
  durationMs: number;
  /** Only in the common flavour, which also has the number of skipped cases here. */
  startedAt?: string;
  suites: readonly Testsuite<C>[];
}

const TALLY = { tests: 0, failures: 0, errors: 0, skipped: 0 };
const COUNTED = { failure: 'failures', error: 'errors', skipped: 'skipped' } as const;

/** Writes a JUnit file (schemas/junit-strict.xsd, schemas/junit-common.xsd), piece by piece. */
export function writeJunitDocument<C>(document: JunitDocument<C>, write: (chunk: string) => void): void {
  const whole = { ...TALLY };
  const tallies = document.suites.map(({ cases, reader }) => {
    const tally = { ...TALLY };
    for (const item of cases) {
      const element = reader.element(item);
      for (const counts of [tally, whole]) {
        counts.tests++;
        if (element) counts[COUNTED[element]]++;
      }
    }
    return tally;
  });
  const { startedAt } = document;
  const { skipped, ...counts } = whole;
  const root: Attributes = {
    name: document.name,
    ...(startedAt === undefined ? counts : whole),
    time: seconds(document.durationMs),
    timestamp: startedAt?.slice(0, 19),
  };
  const xml = new XmlWriter(write);
  xml.element('testsuites', root, () => {
    for (const [id, suite] of document.suites.entries()) {
      const { name, durationMs, hostname, file, properties, cases, reader } = suite;
      const time = seconds(durationMs);
      const timestamp = suite.startedAt.slice(0, 19);
      const attributes = { name, ...tallies[id], time, timestamp, hostname, id, package: 'pjrt', file };
      xml.element('testsuite', attributes, () => {
        writeProperties(xml, properties);
        for (const item of cases) writeCase(xml, name, reader.testcase(item));
      });
    }
  });
  write('\n');
}

function writeProperties(xml: XmlWriter, properties: readonly Property[]): void {
  xml.element('properties', {}, () => {
    for (const [name, value] of properties) xml.element('property', { name, value });
  });
}

function writeCase(xml: XmlWriter, suite: string, item: Testcase): void {
  const { element, message, type, body, reruns = [], out, err, properties = [] } = item;
  const time = seconds(item.durationMs);
  const attributes: Attributes = { classname: `pjrt.${suite}`, name: item.name, time, ...item.place };
  const children = (): void => {
    if (properties.length > 0) writeProperties(xml, properties);
    if (element) xml.element(element, { message, type }, body ?? message);
    for (const rerun of reruns) {
      xml.element(rerun.element, { message: rerun.message, type: rerun.type }, () =>
        xml.element('stackTrace', {}, rerun.body),
      );
    }
    if (out) xml.element('system-out', {}, out);
    if (err) xml.element('system-err', {}, err);
  };
  const isEmpty = !element && !out && !err && reruns.length === 0 && properties.length === 0;
  xml.element('testcase', attributes, isEmpty ? undefined : children);
}

const seconds = (milliseconds: number): string =>
  (Number.isFinite(milliseconds) ? Math.max(0, milliseconds) / 1000 : 0).toFixed(3);
