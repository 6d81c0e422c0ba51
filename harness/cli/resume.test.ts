import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { packagePath } from '../paths.ts';
import { createProgram } from './program.ts';
import { recordedOptions } from './resume.ts';
import type { RunOptions } from './run/run-options.ts';

const schema = JSON.parse(readFileSync(packagePath('schemas', 'events.schema.json'), 'utf8'));
const validate = new Ajv2020({ allowUnionTypes: true })
  .addSchema(schema, 'events.schema.json')
  .compile({ $ref: 'events.schema.json#/$defs/runOptions' });

function parsed(args: readonly string[]): Record<string, unknown> {
  const { stdout, stderr } = process;
  const around = { cwd: '/', env: {}, argv: [], stdout, stderr, signal: new AbortController().signal };
  const run = createProgram(around, () => {}).commands.find((command) => command.name() === 'run')!;
  run.parseOptions([...args]);
  return recordedOptions(run.opts<RunOptions>());
}

/** A value for each option of `run` that takes one. */
const VALUES: Readonly<Record<string, string>> = {
  'as-api': '0.80',
  binding: 'lazy',
  'junit-flavor': 'common',
};

test('every option that a log keeps of its run has a type in the schema of logs', () => {
  const { stdout, stderr } = process;
  const around = { cwd: '/', env: {}, argv: [], stdout, stderr, signal: new AbortController().signal };
  const run = createProgram(around, () => {}).commands.find((command) => command.name() === 'run')!;
  const args = run.options.flatMap(({ long, required }) =>
    required ? [long!, VALUES[long!.slice(2)] ?? '7'] : [long!],
  );
  const options = parsed(args);
  const typed = Object.keys(schema.$defs.runOptions.properties);
  expect(Object.keys(options).filter((name) => !typed.includes(name))).toEqual([]);
  expect(validate(options), JSON.stringify(validate.errors)).toBe(true);
  expect(Object.keys(options).length).toBeGreaterThan(30);
});

test.each([
  ['workers', 0],
  ['timeoutCall', '1s'],
  ['plugin', []],
  ['report', 'html'],
])('a log whose option %s is %j is none', (name, value) => {
  expect(validate({ ...parsed(['--plugin', './a.so']), [name]: value })).toBe(false);
});
