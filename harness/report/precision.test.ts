import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { packagePath } from '../base/paths.ts';
import { foldRun } from '../model/run.ts';
import { exponential, numberEvents } from '../model/sample-numbers.test-helper.ts';
import { jsonReport } from './json.ts';
import { writeMarkdown } from './markdown.ts';
import { observedRows, operationOf, precision } from './precision.ts';

const run = foldRun(numberEvents());

test('a row for each operation and type, with the worst element', () => {
  expect(precision(run)).toMatchObject([
    {
      ...{ op: 'exponential', dtype: 'f32', comparisons: 1, elements: 4, exact: 3, maxUlp: 2, meets: 'strict' },
      worst: { case: 'numerics/made:bounded[op=exponential]', operands: [{ value: '1' }], actual: '2.7182822' },
    },
    { op: 'numerics/made:exact', dtype: 's32', exact: 2, maxUlp: 0, beyond: false },
  ]);
  expect(precision(run)[1]).not.toHaveProperty('worst');
});

test('an element without a distance is worse than any other', () => {
  const { cases } = foldRun(numberEvents());
  const [first] = cases.values();
  first!.result!.numerics = [exponential(), exponential({ nanMismatches: 1, mismatches: 1, index: 3, meets: 'none' })];
  const [row] = precision({ cases } as never);
  expect(row).toMatchObject({ comparisons: 2, maxUlp: null, beyond: true, meets: 'none', worst: { index: 3 } });
});

test('comparisons without an operation go by the name of their cases', () => {
  const { op: _, ...record } = exponential();
  expect(operationOf('a:b[op=sine,dtype=f32]', record)).toBe('a:b[op=sine]');
  expect(operationOf('a:b[dtype=f32]', record)).toBe('a:b');
  expect(operationOf('a:b', record)).toBe('a:b');
});

test('logs without types have no rows', () => {
  const { cases } = foldRun(numberEvents());
  for (const { result } of cases.values()) for (const record of result?.numerics ?? []) delete record.dtype;
  expect(precision({ cases } as never)).toEqual([]);
});

test('the JSON report has them as its schema says, and so has the log', () => {
  const read = (file: string): object => JSON.parse(readFileSync(packagePath('schemas', file), 'utf8'));
  const ajv = new Ajv2020({ allowUnionTypes: true });
  const events = ajv.addSchema(read('events.schema.json'), 'events.schema.json').getSchema('events.schema.json')!;
  const validate = ajv.compile(read('report.schema.json'));
  const report = JSON.parse(JSON.stringify(jsonReport(run)));
  expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
  for (const event of numberEvents()) {
    expect(events(JSON.parse(JSON.stringify(event))), JSON.stringify(events.errors)).toBe(true);
  }
  expect(report.observed).toEqual(observedRows(run));
  expect(report.observed).toMatchObject([{ behaviour: 'fma-contraction', is: 'rounds-twice' }]);
});

test('Markdown has the worst type of each operation, and the behaviours', () => {
  let text = '';
  writeMarkdown(run, (chunk) => (text += chunk));
  expect(text).toContain(
    '| exponential | f32 | 2 ULP | strict | 3 of 4 | \\[1\\] of 1: 2.7182822 instead of 2.7182817 |',
  );
  expect(text).toContain('| fma-contraction | rounds-twice | f32 |');
});
