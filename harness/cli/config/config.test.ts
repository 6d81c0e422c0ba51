import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseYaml } from '../../suite/located-yaml.ts';
import { createProgram } from '../program.ts';
import { applyConfig, type ConfigUse } from './apply.ts';
import { findConfig } from './find.ts';
import { COMMAND_LINE_ONLY, CONFIG_KEYS } from './keys.ts';
import { readConfigFile } from './read.ts';

const command = (name: string): Command => {
  const { stdout, stderr } = process;
  const environment = { cwd: '/', env: {}, argv: [], stdout, stderr, signal: new AbortController().signal };
  return createProgram(environment, () => {}).commands.find((c) => c.name() === name)!;
};

/** The options of a command, from a command line and a file. */
function applied(text: string, args: string[] = [], { name = 'run', directory = '/r', cwd = '/r' } = {}) {
  const acting = command(name);
  acting.args = acting.parseOptions(args).operands;
  const { use } = applyConfig(acting, parseYaml(text, 'pjrt-conformance.yaml'), { directory, cwd });
  return { ...acting.opts(), use, operands: acting.processedArgs } as Record<string, unknown> & {
    use: ConfigUse;
    operands: unknown[];
  };
}

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-config-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('every option of a command that reads the file is a key, or is listed as command-line only', () => {
  const known = new Set([...Object.keys(CONFIG_KEYS), ...Object.keys(COMMAND_LINE_ONLY)]);
  const options = command('run').options.map(({ long }) => long!.replace(/^--(no-)?/, ''));
  expect([...new Set(options)].filter((name) => !known.has(name))).toEqual([]);
  expect([...known].filter((name) => !options.includes(name))).toEqual([]);
});

describe('values', () => {
  test('are parsed by the options', () => {
    const { timeoutCall, timeoutClient, asApi, workers, fetch, tag, use } = applied(
      'timeouts: {call: 90, client: 1.5m}\nas-api: 0.70\nworkers: 2\nfetch: false\ntag: smoke\n',
    );
    expect({ timeoutCall, timeoutClient, asApi, workers, fetch, tag }).toEqual({
      timeoutCall: 90_000,
      timeoutClient: 90_000,
      asApi: { minor: 70 },
      workers: 2,
      fetch: false,
      tag: ['smoke'],
    });
    expect(use.keys).toEqual(['tag', 'workers', 'as-api', 'fetch', 'timeouts.call', 'timeouts.client']);
  });

  test.each([
    ['a text', 'output: "a\\nb"\n', ':1:9: output: contains a line break, expected one line\n    got: "a\\nb"'],
    ['in a list', 'tests: [a, "b\\rc"]\n', ':1:12: tests[1]: contains a line break, expected one line'],
    ['of a report', 'reports: {html: "a\\nb"}\n', ':1:17: reports.html: contains a line break, expected one line'],
  ])('must not contain line ends: %s', (_, text, message) => {
    expect(() => applied(text)).toThrow(message);
  });

  test('of create options keep their type', () => {
    const text = 'options: {a: 1, b: "1", c: 1.0, d: [1, 2], e: true, f: bfc, g: "true", h: 1e3}\n';
    expect(applied(text).option).toEqual([
      'a=1',
      'b:string=1',
      'c=1.0',
      'd:int64_list=1,2',
      'e=true',
      'f=bfc',
      'g:string=true',
      'h=1e3',
    ]);
  });

  test.each<[string, string, RegExp]>([
    ['a time', 'timeouts: {call: soon}', /:1:18: timeouts\.call: It must be a time such as 500ms, 90s or 2m\./],
    ['a version', 'as-api: 0.99999', /:1:9: as-api: It must be 0\.\d+ to 0\.\d+, or newer\./],
    ['an integer', 'options:\n  n: "9223372036854775808"\n', /:2:6: options\.n: .*does not fit in int64/],
    ['a report', 'reports:\n  sarif: false\n', /:2:10: reports\.sarif: remove the line to omit the report/],
  ])('that an option rejects are reported with their location: %s', (_, text, message) => {
    expect(() => applied(text)).toThrow(message);
  });
});

describe('the command line', () => {
  test('wins', () => {
    const { plugin, suite, workers, use } = applied('plugin: a.so\nsuite: [x, y]\nworkers: 3', ['--suite', 'z']);
    expect({ plugin, suite, workers }).toEqual({ plugin: ['a.so'], suite: ['z'], workers: 3 });
    expect(use.keys).toEqual(['plugin', 'workers']);
  });

  test('adds to reports and create options, and wins if both have the same name', () => {
    const text = 'options: {a: 1, b: 2}\nreports: {sarif: x.sarif, markdown: true}';
    const { option, report } = applied(text, ['--option', 'b=3', '--option', 'c=4', '--report', 'sarif']);
    expect(option).toEqual(['a=1', 'b=3', 'c=4']);
    expect(report).toEqual(['sarif=x.sarif', 'markdown', 'sarif']);
  });

  test('removes create options if it names another plugin than the file', () => {
    const args = ['--plugin', 'b.so', '--option', 'c=4'];
    const other = applied('plugin: a.so\noptions: {a: 1}', args);
    expect([other.option, other.use.leftOut]).toEqual([['c=4'], ['options']]);
    const any = applied('options: {a: 1}', args);
    expect([any.option, any.use.leftOut]).toEqual([['a=1', 'c=4'], []]);
  });
});

test('paths are relative to the file; names stay names', () => {
  const text =
    'plugin: [build/a.so, xla-cpu, x=../b.so, /c.so]\nsuites: mine\nreports: {sarif: out/x.sarif}\noutput: out';
  expect(applied(text, [], { cwd: '/r/sub' })).toMatchObject({
    plugin: ['../build/a.so', 'xla-cpu', 'x=../../b.so', '/c.so'],
    suites: ['../mine'],
    report: ['sarif=../out/x.sarif'],
    output: '../out',
  });
  expect(applied('plugin: a.so', [], { directory: '/r/sub', cwd: '/r' }).plugin).toEqual(['sub/a.so']);
  expect(applied('plugin: a.so', [], { directory: '/', cwd: '/r' }).plugin).toEqual(['../a.so']);
});

test('commands read the keys that they have options for; report takes neither verdict nor paths from it', () => {
  const text =
    'plugin: a.so\ntag: smoke\nstrict: true\noutput: out\nreports: {ctrf: true}\npolicy: p.yaml\ngithub: false';
  const keys = (name: string) => applied(text, ['x.jsonl'], { name }).use.keys;
  expect(keys('list')).toEqual(['tag']);
  expect(keys('report')).toEqual(['reports', 'github']);
  expect(keys('compare')).toEqual(['policy', 'github']);
  expect(command('verify').options.map(({ long }) => long)).not.toContain('--config');
});

test('the subject of a command comes from the file if the command line does not name it', () => {
  const text = 'plugin: [a.so, b.so]\noptions: {n: 1}\nsuites: [s, t]\noutput: out\ntimeouts: {client: 2m}';
  const at = { directory: '/r', cwd: '/r/sub' };
  const doctor = applied(text, [], { name: 'doctor', ...at });
  expect([doctor.operands, doctor.option, doctor.timeout]).toEqual([['../a.so'], ['n=1'], 120_000]);
  const other = applied(text, ['c.so', '--timeout', '1s'], { name: 'doctor', ...at });
  expect([other.operands, other.option, other.timeout]).toEqual([[], undefined, 1000]);
  expect(other.use.leftOut).toEqual(['options']);
  expect(applied(text, [], { name: 'validate', ...at }).operands).toEqual([['../s', '../t']]);
  expect(applied(text, [], { name: 'bundle', ...at }).operands).toEqual(['../out']);
  expect(applied(`${text}\nevents: e.jsonl`, [], { name: 'bundle', ...at }).operands).toEqual(['../e.jsonl']);
  expect(applied(text, [], { name: 'report', ...at }).operands).toEqual([['../out']]);
  expect(applied(text, ['x.jsonl'], { name: 'bundle' }).operands).toEqual([]);
});

describe('the file', () => {
  test('is the nearest one up to the root of the repository', () => {
    const root = join(directory, 'repository');
    const below = join(root, 'a', 'b');
    mkdirSync(below, { recursive: true });
    writeFileSync(join(directory, 'pjrt-conformance.yaml'), '');
    expect(findConfig(below)).toBeUndefined();
    mkdirSync(join(root, '.git'));
    expect(findConfig(below)).toBeUndefined();
    writeFileSync(join(root, 'pjrt-conformance.yaml'), '');
    expect(findConfig(below)).toBe(join(root, 'pjrt-conformance.yaml'));
    writeFileSync(join(root, 'a', 'pjrt-conformance.yml'), '');
    expect(findConfig(below)).toBe(join(root, 'a', 'pjrt-conformance.yml'));
    writeFileSync(join(root, 'a', 'pjrt-conformance.yaml'), '');
    expect(() => findConfig(below)).toThrow(/remove one of the two/);
  });

  test.each<[string, string, string]>([
    ['an unknown key', 'plugin: a.so\nstrct: true\n', ':2:1: unknown key "strct"'],
    ['a misspelt deadline', 'timeouts: {cal: 3s}\n', 'did you mean "call"?'],
    ['a misspelt format', 'reports:\n  markdwon: true\n', 'did you mean "markdown"?'],
    ['a wrong type', 'workers: many\n', ':1:10: workers: wrong type\n    expected: an integer\n    got: text "many"'],
    ['too small a number', 'workers: 0\n', ':1:10: workers: too small'],
    ['a choice', 'binding: laazy\n', 'did you mean "lazy"?'],
    ['a flag', 'strict: yes\n', 'strict: wrong type\n    expected: true or false\n    got: text "yes"'],
    ['a list', '- plugin: a.so\n', 'wrong type\n    expected: a mapping'],
    ['an empty list', 'suites: []\n', ':1:9: suites: empty list'],
    ['no YAML', 'plugin: [a.so\n', 'not valid YAML'],
    ['a key twice', 'plugin: a.so\nplugin: b.so\n', ':2:1: not valid YAML'],
    ['a tag', 'plugin: !!js/function a\n', 'is not part of the language'],
    ['a list in a create option', 'options: {a: [x]}\n', ':1:15: options.a[0]: wrong type'],
    ['a key without value', 'plugin:\n', ':1:8: plugin: wrong type'],
  ])('is rejected with line and column: %s', (_, text, message) => {
    const file = join(directory, 'bad.yaml');
    writeFileSync(file, text);
    expect(() => readConfigFile(file, directory)).toThrow(message);
  });

  test('may contain only comments', () => {
    const file = join(directory, 'empty.yaml');
    writeFileSync(file, '# plugin: a.so\n');
    expect(readConfigFile(file, directory).value).toEqual({});
  });

  test('has a size limit', () => {
    expect(() => readConfigFile(join(directory, 'none.yaml'), directory)).toThrow(/none\.yaml: no such file; .*init/);
    expect(() => readConfigFile(directory, directory)).toThrow(/is a directory, expected a YAML file/);
    expect(() => readConfigFile('/dev/zero', directory)).toThrow(/is a device or a pipe/);
    writeFileSync(join(directory, 'big.yaml'), '#'.repeat(1_000_001));
    expect(() => readConfigFile(join(directory, 'big.yaml'), directory)).toThrow(/too many for a configuration file/);
  });
});
