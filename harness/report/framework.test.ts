import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { XmlElement } from 'libxml2-wasm';
import { expect, test } from 'vitest';
import { validJunit } from '../../tests/support/junit-schemas.ts';
import { packagePath } from '../base/paths.ts';
import type { Event } from '../model/events.ts';
import type { FrameworkVerdict } from '../model/framework-verdict.ts';
import { foldRun } from '../model/run.ts';
import { facts, footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import { verdict } from '../verdict/verdict.ts';
import { createConsoleReporter } from './console.ts';
import { jsonReport } from './json.ts';
import { junitXml } from './junit.ts';
import { mergeLogs } from './merge.ts';
import { eventFault } from './validate-event.ts';

const verdictWith = (more: Partial<FrameworkVerdict> = {}): FrameworkVerdict => ({
  framework: 'jax',
  version: '0.10.2',
  title: 'JAX',
  date: '2026-06-17',
  apiMinor: 112,
  outcome: 'limits',
  reason: 'when used: PJRT_Client_DmaMap returns UNIMPLEMENTED',
  limits: ['when used: PJRT_Client_DmaMap returns UNIMPLEMENTED'],
  facts: ['a fact'],
  untried: [],
  window: { standing: 'outside', text: 'this plugin is old' },
  ...more,
});
const aborts = verdictWith({
  outcome: 'aborts',
  moment: 'client creation',
  reason: 'PJRT_Plugin_Attributes returns INVALID_ARGUMENT, which ends the process',
  message: 'Unexpected size',
  limits: [],
});

/** A run with one passing case in the gate, and one outside that crashed. */
const events = (framework: FrameworkVerdict, end: Event[] = [footer()]): Event[] => [
  header({ profile: 'jax@0.10.2' }),
  { type: 'plugin', plugin: facts({ answers: { PJRT_Client_Create: ['OK'], PJRT_Client_DmaMap: ['UNIMPLEMENTED'] } }) },
  ...suiteEvents('a', [
    { name: 'gate', result: result('pass') },
    { name: 'outside', plan: { informative: true }, result: result('crash', { signal: 'SIGABRT' }) },
  ]),
  { type: 'framework', verdict: framework },
  ...end,
];
const judged = (framework: FrameworkVerdict) => verdict(foldRun(events(framework)));

const ended = (framework: FrameworkVerdict): Event[] => {
  const { exitCode, line } = judged(framework);
  return events(framework, [footer({ exitCode, verdict: line })]);
};

test('the events match the schema', () => {
  for (const event of events(aborts)) expect(eventFault(event)).toBeUndefined();
});

test('a release that works with limits is a good verdict, whatever fails outside the gate', () => {
  expect(judged(verdictWith())).toEqual({
    exitCode: 0,
    name: 'passes',
    line: 'passes (profile jax@0.10.2): JAX 0.10.2 works with 1 limit, 1 of 2 cases passed, 1 failed outside the gate (a:outside)',
  });
});

test('a release that does not work fails the run, one that could not be tried proves nothing', () => {
  expect(judged(aborts)).toMatchObject({
    exitCode: 1,
    line: expect.stringMatching(/^fails: JAX 0\.10\.2 aborts at client creation: PJRT_Plugin_Attributes/),
  });
  expect(judged(verdictWith({ outcome: 'unknown', reason: 'not tried' }))).toMatchObject({
    exitCode: 5,
    line: 'no verdict: whether JAX 0.10.2 works could not be determined: not tried',
  });
});

test('JUnit has the release as a case, red if it does not work; failures outside the gate are not red', () => {
  for (const [framework, red] of [
    [verdictWith(), 0],
    [aborts, 1],
    // What could not be tried is skipped; the harness's own case reports that the run proves nothing.
    [verdictWith({ outcome: 'unknown' }), 1],
  ] as const) {
    using document = validJunit(junitXml(foldRun(ended(framework))));
    const found = document.find('//testcase[@classname="pjrt.framework"]').filter((n) => n instanceof XmlElement);
    expect(found.map((n) => n.attr('name')?.value)).toEqual(['jax@0.10.2']);
    expect(document.find('//failure | //error')).toHaveLength(red);
    expect(document.find('//skipped[starts-with(@message, "OUTSIDE_THE_GATE")]')).toHaveLength(1);
    const properties = document.find('//property[starts-with(@name, "pjrt.plugin.functions.unimplemented")]');
    expect(properties.length).toBeGreaterThan(0);
  }
});

test('the JSON report has the verdict and the capability matrix, and matches its schema', () => {
  const read = (name: string): object => JSON.parse(readFileSync(packagePath('schemas', name), 'utf8')) as object;
  const ajv = new Ajv2020({ allowUnionTypes: true });
  ajv.addSchema(read('events.schema.json'), 'events.schema.json');
  const validate = ajv.compile(read('report.schema.json'));
  const report = JSON.parse(JSON.stringify(jsonReport(foldRun(ended(aborts))))) as ReturnType<typeof jsonReport>;
  validate(report);
  expect(validate.errors).toBeNull();
  expect(report.frameworks).toEqual([aborts]);
  expect(report.capabilities[0]?.functions).toMatchObject({
    PJRT_Client_Create: 'works',
    PJRT_Client_DmaMap: 'unimplemented',
    PJRT_Error_ForEachPayload: 'absent',
  });
});

test('the console shows the verdict, what users see, limits and the compatibility window', () => {
  let text = '';
  const stream = { write: (chunk: string) => (text += chunk) };
  for (const framework of [verdictWith(), aborts]) {
    const reporter = createConsoleReporter({ stream, isTTY: false, color: false, verbose: true });
    for (const event of ended(framework)) reporter.event(event);
    reporter.close();
  }
  expect(text).toContain('! CRASH (outside the gate) a:outside');
  expect(text).toMatch(/framework {3}JAX 0\.10\.2 works with 1 limit\n.*limit: when used: PJRT_Client_DmaMap/);
  expect(text).toContain('what the user sees: Unexpected size');
  expect(text).toContain('this plugin is old');
});

test('the worst verdict of several shards counts', () => {
  const part = (index: number, framework: FrameworkVerdict): Event[] => [
    header({ shard: { index, count: 2 } }),
    { type: 'plugin', plugin: facts() },
    ...suiteEvents('a', [{ name: `part-${index}`, plan: { index }, result: result('pass') }]),
    { type: 'framework', verdict: framework },
    footer(),
  ];
  const merged = mergeLogs([
    { name: 'one', events: part(1, verdictWith()) },
    { name: 'two', events: part(2, aborts) },
  ]);
  expect(foldRun(merged).frameworks).toEqual([aborts]);
  expect(foldRun(merged).footer).toMatchObject({ exitCode: 1 });
});
