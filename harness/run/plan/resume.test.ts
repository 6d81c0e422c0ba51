import { getEventListeners } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { TOOL } from '../../base/tool.ts';
import { createProgram } from '../../cli/program.ts';
import type { Event } from '../../model/events.ts';
import { facts, header, suiteEvents } from '../../model/sample-log.test-helper.ts';
import { logFile } from '../files/log-file.ts';
import { resolveAll } from '../plugin/plugin-setup.ts';
import { runSession } from '../run.ts';
import { run } from '../run-command.ts';
import { settingsOf } from './preparation.ts';
import { recordedOptions } from './resume.ts';
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
  timeout: 'case=7s',
  'as-api': '0.80',
  binding: 'lazy',
  host: 'python',
  'junit-flavor': 'common',
  numerics: 'relaxed',
};

let directory: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'pjrt-resume-')));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** The message of `run --resume` for a log with these events. @param now options on the command line */
async function refusal(events: Event | readonly Event[], now: Partial<RunOptions> = {}): Promise<string> {
  writeFileSync(
    join(directory, 'events.jsonl'),
    [events]
      .flat()
      .map((event) => `${JSON.stringify(event)}\n`)
      .join(''),
  );
  const { stdout, stderr } = process;
  const environment = { cwd: directory, env: {}, argv: [], stdout, stderr, signal: new AbortController().signal };
  const given = new Map(Object.keys(now).map((name) => [name, `--${name}`]));
  return run({ resume: 'events.jsonl', plugin: [], binding: 'now', fetch: false, ...now }, environment, given).then(
    () => 'it went on',
    (error: Error) => error.message,
  );
}

const begunWith = (options: object, settings?: Record<string, unknown>): Event =>
  header({
    tool: TOOL,
    invocation: {
      ...(settings ? { settings } : {}),
      cwd: directory,
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

describe('what the log is not to blame for is said as it is', () => {
  const here = { plugin: ['./here.so'] };
  let settings: Record<string, unknown>;
  beforeAll(async () => {
    writeFileSync(join(directory, 'here.so'), 'not a library');
    const options = { ...here, binding: 'now', fetch: false } as const;
    const { stdout, stderr } = process;
    const around = { cwd: directory, env: {}, argv: [], stdout, stderr, signal: new AbortController().signal };
    settings = settingsOf(options, await resolveAll(options, around), []);
    writeFileSync(join(directory, 'bad.yaml'), 'chnages: {}\n');
    writeFileSync(
      join(directory, 'old.jsonl'),
      [header(), ...suiteEvents('load', [])].map((e) => JSON.stringify(e)).join('\n'),
    );
  });

  test.each<[string, Partial<RunOptions>, RegExp]>([
    ['a report', { report: ['foo'] }, /^--report foo: there is no format foo/],
    ['a baseline', { baseline: ['nosuch'] }, /^\S*nosuch: there is no such file/],
    ['a policy', { baseline: ['old.jsonl'], policy: 'bad.yaml' }, /^\S*bad\.yaml:1:1: unknown key/],
    ['a policy without a baseline', { policy: 'bad.yaml' }, /^--policy \S+ needs --baseline/],
    ['a place', { junit: 'events.jsonl' }, /^events\.jsonl: it cannot be both the event log and the report junit/],
  ])('%s of the command line', async (_, now, message) => {
    expect(await refusal(begunWith(here, settings), now)).toMatch(message);
  });

  test('a report of the log', async () => {
    const message = await refusal(begunWith({ ...here, report: ['foo'] }, settings));
    expect(message).toMatch(/^events\.jsonl:1: the log's record of the run is invalid:\n {2}--report foo: there is no/);
  });

  test('a plugin that has changed', async () => {
    const plugin = { ...facts(), name: 'here', path: join(directory, 'here.so') };
    expect(await refusal([begunWith(here, settings), { type: 'plugin', plugin }])).toMatch(
      /^--resume events\.jsonl: the plugin or the suites have changed since the run; restore them, or start a new run:\n {2}/,
    );
  });
});

test('a session that fails holds neither its log nor the signal', async () => {
  writeFileSync(join(directory, 'fails.so'), 'not a library');
  const { signal } = new AbortController();
  const environment = {
    cwd: directory,
    env: {},
    argv: [],
    stdout: { write: () => {} },
    stderr: process.stderr,
    signal,
  };
  const listener = (): never => {
    throw new Error('enough');
  };
  const options = { plugin: ['./fails.so'], binding: 'now', fetch: false, suite: ['load'], output: 'fails' } as const;
  const again = () =>
    runSession({ ...options, plugin: [...options.plugin], suite: [...options.suite] }, environment, { listener });
  await expect(again()).rejects.toThrow('enough');
  await expect(again()).rejects.toThrow('enough');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a link to itself is not a log', () => {
  symlinkSync('loop', join(directory, 'loop'));
  expect(() => logFile('loop', '--resume', directory)).toThrow(
    /^--resume loop: cannot be read: it is a link that leads to itself/,
  );
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
