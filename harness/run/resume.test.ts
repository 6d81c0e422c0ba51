import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProgram } from '../cli/program.ts';
import type { Event } from '../model/events.ts';
import { header } from '../model/sample-log.test-helper.ts';
import { packagePath } from '../paths.ts';
import { TOOL } from '../tool.ts';
import { logFile } from './log-file.ts';
import { recordedOptions } from './resume.ts';
import { run } from './run.ts';
import type { RunOptions } from './run-options.ts';

const schema = JSON.parse(readFileSync(packagePath('schemas', 'events.schema.json'), 'utf8'));
const validate = new Ajv2020({ allowUnionTypes: true })
  .addSchema(schema, 'events.schema.json')
  .compile({ $ref: 'events.schema.json#/$defs/runOptions' });

function parsed(args: readonly string[]): Record<string, unknown> {
  const { stdout, stderr } = process;
  const environment = { cwd: '/', env: {}, argv: [], stdout, stderr, signal: new AbortController().signal };
  const run = createProgram(environment, () => {}).commands.find((command) => command.name() === 'run')!;
  run.parseOptions([...args]);
  return recordedOptions(run.opts<RunOptions>());
}

/** A value for each option of `run` that takes one. */
const VALUES: Readonly<Record<string, string>> = {
  'as-api': '0.80',
  binding: 'lazy',
  'junit-flavor': 'common',
  numerics: 'relaxed',
};

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pjrt-resume-')));
});
afterAll(() => {
  process.chdir('/');
  rmSync(folder, { recursive: true, force: true });
});

/** The message of `run --resume` for a log with this event. */
async function refusal(event: Event): Promise<string> {
  writeFileSync(join(folder, 'events.jsonl'), `${JSON.stringify(event)}\n`);
  const { stdout, stderr } = process;
  const environment = { cwd: folder, env: {}, argv: [], stdout, stderr, signal: new AbortController().signal };
  return run({ resume: 'events.jsonl', plugin: [], binding: 'now', fetch: false }, environment).then(
    () => 'it went on',
    (error: Error) => error.message,
  );
}

const begunWith = (options: object): Event =>
  header({
    tool: TOOL,
    invocation: {
      cwd: folder,
      options: { plugin: ['./gone.so'], binding: 'now', fetch: false, suite: ['load'], ...options },
    },
  });

test('a rejected log can be tried again: its lock is released', async () => {
  const notRecorded = /this log does not record how the run was started/;
  expect(await refusal(header({ tool: TOOL }))).toMatch(notRecorded);
  expect(await refusal(header({ tool: TOOL }))).toMatch(notRecorded);
  expect(await refusal(begunWith({}))).toMatch(/gone\.so/);
  expect(await refusal(begunWith({}))).toMatch(/gone\.so/);
});

test.each<[string, object, RegExp]>([
  ['a plugin', {}, /\n {2}--plugin \.\/gone\.so: /],
  ['suites', { suites: ['./gone.yaml'] }, /\n {2}\S*gone\.yaml: /],
  ['a part', { shard: '3/2' }, /\n {2}--shard: not a shard\n {6}expected/],
])(
  'what a log states about its run, and does not hold, is reported with the location in the log: %s',
  async (_, options, detail) => {
    const message = await refusal(begunWith(options));
    expect(message).toMatch(/^events\.jsonl:1: the log's record of the run is invalid:\n/);
    expect(message).toMatch(detail);
  },
);

test('a link to itself is not a log', () => {
  symlinkSync('loop', join(folder, 'loop'));
  expect(() => logFile('loop', '--resume', folder)).toThrow(/^--resume loop: cannot be read: ELOOP/);
});

test('every option that a log stores has a type in the schema of logs', () => {
  const { stdout, stderr } = process;
  const environment = { cwd: '/', env: {}, argv: [], stdout, stderr, signal: new AbortController().signal };
  const run = createProgram(environment, () => {}).commands.find((command) => command.name() === 'run')!;
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
])('a log whose option %s is %j is rejected', (name, value) => {
  expect(validate({ ...parsed(['--plugin', './a.so']), [name]: value })).toBe(false);
});
