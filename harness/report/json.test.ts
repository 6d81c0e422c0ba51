import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, expect, test } from 'vitest';
import { packagePath } from '../base/paths.ts';
import type { Event } from '../model/events.ts';
import { foldRun, type Run } from '../model/run.ts';
import { everyStatus, footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import { EXIT_CODES } from '../verdict/exit-codes.ts';
import type { ReportOptions } from './format.ts';
import { jsonReport, writeJson } from './json.ts';
import { EventLog, readEvents } from './log.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-json-'));
afterAll(() => rmSync(directory, { recursive: true }));

const schemaOf = (name: string) => JSON.parse(readFileSync(packagePath('schemas', name), 'utf8'));
const schema = schemaOf('report.schema.json');
const ajv = new Ajv2020({ allowUnionTypes: true });
ajv.addSchema(schemaOf('events.schema.json'), 'events.schema.json');
const validate = ajv.compile(schema);

function written(run: Run, options?: ReportOptions): string {
  let text = '';
  writeJson(
    run,
    (chunk) => {
      text += chunk;
    },
    options,
  );
  return text;
}

test.each<[string, Event[]]>([
  ['every status', everyStatus()],
  ['cut off', everyStatus().slice(0, 9)],
  ['no suites', [header(), footer()]],
  ['nothing', []],
  [
    'infinite ULP',
    [
      header(),
      ...suiteEvents('a', [
        {
          name: 'x',
          result: result('fail', {
            numerics: [
              {
                what: 'y',
                maxUlp: Number.POSITIVE_INFINITY,
                allowedUlp: 0,
                index: 0,
                expectedBits: '0x0',
                actualBits: '0x1',
              },
            ],
          }),
        },
      ]),
    ],
  ],
])('the file matches its schema and is the same piece by piece: %s', (_, events) => {
  const text = written(foldRun(events));
  const value = JSON.parse(text);
  expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
  expect(text).toBe(`${JSON.stringify(value, null, 2)}\n`);
  expect(value).toEqual(JSON.parse(JSON.stringify(jsonReport(foldRun(events)))));
});

test('what violated requirements say, and their sources, are in files', () => {
  const options = {
    requirements: new Map([['BUF-DEL-002', 'A buffer is destroyed once.']]),
    bases: new Map([['BUF-DEL-002', 'pjrt_c_api.h']]),
  };
  const report = JSON.parse(written(foldRun(everyStatus()), options));
  expect(report.requirements).toEqual({
    'BUF-DEL-002': {
      text: 'A buffer is destroyed once.',
      source: 'pjrt_c_api.h',
      link: 'https://github.com/openxla/xla/blob/main/xla/pjrt/c/pjrt_c_api.h',
    },
  });
  expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
});

test('the schema lists every member that is written, and the exit codes of the table', () => {
  const report = JSON.parse(written(foldRun(everyStatus())));
  const known = (node: { properties: object }): string[] => Object.keys(node.properties);
  expect(known(schema)).toEqual(expect.arrayContaining(Object.keys(report)));
  for (const suite of report.suites) {
    expect(known(schema.$defs.suite)).toEqual(expect.arrayContaining(Object.keys(suite)));
    for (const item of suite.cases) expect(known(schema.$defs.case)).toEqual(expect.arrayContaining(Object.keys(item)));
  }
  const { exitCode, exitName } = schema.$defs;
  expect(exitCode.enum).toEqual(EXIT_CODES.map((entry) => entry.code));
  expect(exitName.enum).toEqual(EXIT_CODES.map((entry) => entry.name));
});

test('live and from the log file, the report is the same', () => {
  const log = new EventLog(join(directory, 'events.jsonl'));
  for (const event of everyStatus()) log.write(event);
  log.close();
  expect(written(foldRun(readEvents(log.path)))).toBe(written(foldRun(everyStatus())));
});

test('has verdict, counts, reasons and reproduction commands; text is clean', () => {
  const events = [
    header(),
    ...suiteEvents('a', [{ name: 'x[n=1]', result: result('skip', { reason: '\x1b[31mred\x00' }) }, { name: 'y' }]),
  ];
  const report = JSON.parse(written(foldRun(events)));
  expect(report.verdict).toEqual({
    exitCode: 5,
    name: 'internal-error',
    line: 'no verdict: the log has no footer: the run is unfinished',
  });
  expect(report.summary).toMatchObject({ suites: 1, cases: 2, skip: 1, notrun: 1, pass: 0, knownDeviations: 0 });
  expect(report.complete).toBe(false);
  expect(
    report.suites[0].cases.map((item: Record<string, unknown>) => [item.status, item.reason, item.reproduce]),
  ).toEqual([
    ['skip', 'red\\x00', undefined],
    ['notrun', 'the run ended before this case', 'npx pjrt-conformance --plugin ./example.so --test a:y'],
  ]);
});
