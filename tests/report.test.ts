import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { REPORT_FORMATS } from '../harness/report/index.ts';
import { command as builtCommand } from './support/command.ts';
import { buildHostile } from './support/hostile.ts';
import { unpackedHtml } from './support/html.ts';
import { validateJunit } from './support/junit-schemas.ts';

const SELECTION = ['--suites', packagePath('tests', 'suites'), '--suite', 'hostile', '--workers', '1'];
const ALL = REPORT_FORMATS.flatMap(({ name }) => ['--report', name]);
/** With these, equal results give equal files. */
const STILL = { SOURCE_DATE_EPOCH: '86400' };
const HOST = ['--junit-hostname', 'any'];

let directory: string;
let plugin: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-report-'));
  plugin = await buildHostile('segv-in-compile');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const command = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  builtCommand(args, directory, { ...STILL, ...env });

const run = (output: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
  command(['run', '--plugin', plugin, '--output', output, ...SELECTION, ...HOST, ...args], env);

const read = (...path: string[]): string => readFileSync(join(directory, ...path), 'utf8');

/** Removes what may differ between runs with equal results: times, the command line, and which case starts a worker (calls). */
const comparable = (text: string): string =>
  unpackedHtml(text)
    .replace(/,\s*"(?:callMs|scheduling)": \{[^}]*\}/g, '')
    .replace(/,\s*"peakRssBytes": \d+/g, '')
    .replace(/"(?:startedAt|finishedAt)": ?"[^"]*"/g, '"AT"')
    .replace(/"(?:durationMs|nativeMs)": ?[\d.]+/g, '"MS"')
    .replace(/"argv": \[[^\]]*\]/g, '"argv"')
    .replace(/"calls": (?:\d+|\[[\d,\s]*\])/g, '"calls"')
    .replace(/\d+(?:\.\d+)? m?s\b/g, 'TIME');

test('every report is the same live, from the log, and after merging the parts of a sharded run', () => {
  expect(run('whole', ALL).status).toBe(1);
  validateJunit(read('whole', 'junit.xml'));
  const again = command(['report', 'whole/events.jsonl', '--output', 'again', ...ALL, ...HOST]);
  expect([again.status, again.stderr]).toEqual([1, '']);
  for (const part of [1, 2, 3]) run(`part${part}`, ['--shard', `${part}/3`]);
  const parts = [3, 1, 2].map((part) => `part${part}/events.jsonl`);
  const merged = command(['report', ...parts, '--output', 'merged', ...ALL, ...HOST]);
  expect([merged.status, merged.stderr]).toEqual([1, '']);
  for (const file of ['junit.xml', 'report.json', 'report.html']) {
    expect(unpackedHtml(read('whole', file)), file).toMatch(/PJRT_Client_Compile(?:: the process died|[^}]*"DEATH")/);
  }
  for (const { name, file } of REPORT_FORMATS) {
    const live = read('whole', file);
    expect(read('again', file), name).toBe(live);
    expect(comparable(read('merged', file)), name).toBe(comparable(live));
  }
  // The merged log is an ordinary log.
  expect(command(['report', 'merged/events.jsonl', '--output', 'third', ...HOST]).status).toBe(1);
  expect(read('third', 'junit.xml')).toBe(read('merged', 'junit.xml'));
});

test('so is the other flavour of JUnit, which differs only in its additions', () => {
  const common = ['--junit-flavor', 'common'];
  expect(run('common', common).status).toBe(1);
  const live = read('common', 'junit.xml');
  validateJunit(live, 'common');
  for (const [name, logs] of [
    ['common-again', ['common/events.jsonl']],
    ['common-merged', [1, 2, 3].map((part) => `part${part}/events.jsonl`)],
  ] as const) {
    command(['report', ...logs, '--output', name, ...common, ...HOST]);
    expect(read(name, 'junit.xml'), name).toBe(live);
  }
  const added = / (?:file|line|skipped|timestamp)="[^"]*"|^ {6}<properties>\n(?: {8}.*\n)* {6}<\/properties>\n/gm;
  const bare = (xml: string): string => xml.replace(added, '').replace(/>\s*<\/testcase>/g, '/>');
  expect(bare(live)).toBe(bare(read('whole', 'junit.xml')));
});

test('reports show suites of the package by their path in it, the terminal where they are, and both those of the user by the given path', () => {
  const cases = ['--tests', 'compile/programs:unknown-format', '--tests', 'hostile:compile'];
  const suites = ['--suites', packagePath('tests', 'suites')];
  const args = ['run', '--plugin', plugin, '--output', 'places', ...suites, ...cases, ...ALL];
  const { status, stdout } = command([...args, '--junit-flavor', 'common']);
  expect(status).toBe(1);
  const [, place] = /^ {4,6}(\S*\/suites\/compile\/programs\.yaml):\d+ · MUST /m.exec(stdout)!;
  expect(resolve(directory, place!)).toBe(packagePath('suites', 'compile', 'programs.yaml'));
  const files = Object.fromEntries(REPORT_FORMATS.map(({ name, file }) => [name, unpackedHtml(read('places', file))]));
  for (const [name, text] of Object.entries(files)) {
    expect(text.includes(packagePath('suites', '/')), name).toBe(false);
  }
  expect(files.junit).toMatch(/ file="suites\/compile\/programs\.yaml" line="\d+"/);
  expect(files.junit).toContain(` file="${packagePath('tests', 'suites', 'hostile.yaml')}" line="`);
  expect(files.sarif).toContain('"uri": "suites/compile/programs.yaml"');
  expect(files.gitlab).toContain('"path": "suites/compile/programs.yaml"');
  expect(files.ctrf).toContain('"filePath":"suites/compile/programs.yaml"');
  // A file of the user at such a path is a different one.
  mkdirSync(join(directory, 'suites', 'compile'), { recursive: true });
  writeFileSync(join(directory, 'suites', 'compile', 'programs.yaml'), 'suite: mine\n');
  expect(command(['bundle', 'places']).stderr).toBe('');
  expect(command(['verify', 'places/bundle.zip']).status).toBe(0);
});

describe('incomplete logs', () => {
  test('a missing part is reported, and prevents a pass', () => {
    run('c', ['--shard', '1/3']);
    run('d', ['--shard', '2/3']);
    const refused = command(['report', 'c', 'd']);
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining(
        '  the log of shard 3 of 3 is missing: its cases are not in this report\n--allow-missing',
      ),
    ]);
    const merged = command(['report', 'c/events.jsonl', 'd/events.jsonl', '--allow-missing']);
    expect(merged.status).toBe(1);
    expect(merged.stdout).toContain('the log of shard 3 of 3 is missing: its cases are not in this report');
    expect(existsSync(join(directory, 'reports', 'merged', 'junit.xml'))).toBe(true);
  });

  test('reports of a truncated log say so', () => {
    run('e');
    const lines = read('e', 'events.jsonl').split('\n');
    writeFileSync(join(directory, 'torn.jsonl'), lines.slice(0, 6).join('\n'));
    appendFileSync(join(directory, 'torn.jsonl'), '\n{"type":"case","id":"host');
    const { status, stdout } = command(['report', 'torn.jsonl', '--output', 'torn']);
    expect([status, stdout]).toEqual([5, expect.stringContaining('the log has no footer')]);
    expect(read('torn', 'junit.xml')).toContain('run completed');
  });

  test.each<[string, () => string[], RegExp]>([
    ['no log', () => ['none.jsonl'], /^error: report none\.jsonl: there is no such file; expected the log of a run/],
    ['something else', () => ['whole/junit.xml'], /junit\.xml:1: not JSON/],
    ['the same log twice', () => ['whole/events.jsonl', 'whole/events.jsonl'], /events\.jsonl is given twice/],
    ['a format that there is none of', () => ['whole/events.jsonl', '--report', 'sarf'], /did you mean "sarif"\?/],
    [
      'a format without its file',
      () => ['whole/events.jsonl', '--report', 'ctrf='],
      /expected a file name after the =/,
    ],
    [
      'a merged log over one of its parts',
      () => ['part1/events.jsonl', 'part2/events.jsonl', '--events', 'part1/events.jsonl'],
      /that is one of the logs to merge/,
    ],
  ])('%s is one clear error', (_, args, message) => {
    const { status, stdout, stderr } = command(['report', ...args()]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});

test('in a GitHub workflow the job has a summary, and the suites have annotations', () => {
  const summary = join(directory, 'summary.md');
  writeFileSync(summary, 'what an earlier step wrote\n');
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
  const { stdout } = run('github', [], env);
  expect(stdout).toMatch(/^::error file=\S+,line=\d+,title=[A-Z-]+\d+::hostile:\S+: crash: .*%0Areproduce: npx/m);
  expect(readFileSync(summary, 'utf8')).toMatch(/^what an earlier step wrote\n## ❌ PJRT conformance of /);
  const quiet = run('github2', ['--no-github'], env);
  expect(quiet.stdout).not.toContain('::error');
});

test('each report can have its own file, and several reports can be requested at once', () => {
  const { stdout } = run('named', ['--report', 'ctrf=deep/er/my.json', '--report', 'badge', '--junit', 'j.xml']);
  expect(read('deep', 'er', 'my.json')).toContain('"reportFormat":"CTRF"');
  expect(read('named', 'badge.json')).toContain('schemaVersion');
  expect(existsSync(join(directory, 'j.xml'))).toBe(true);
  expect(stdout).toMatch(/ctrf +deep\/er\/my\.json/);
});
