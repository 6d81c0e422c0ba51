import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { Event } from '../harness/model/events.ts';
import { type Comparison, compareRuns } from '../harness/report/compare/compare.ts';
import { DEFAULT_POLICY } from '../harness/report/compare/policy.ts';
import { readRuns } from '../harness/report/compare/read-runs.ts';
import type { Ended } from './support/command.ts';
import { buildOnToy } from './support/hostile.ts';
import { inProcess } from './support/in-process.ts';
import { parseAs } from './support/json-schemas.ts';
import { validateJunit } from './support/junit-schemas.ts';

/**
 * The gate on a real plugin (fixtures/gate/plugin.c) with one regression at a time. The baseline is the same plugin without a
 * regression, run 20 times: what differs between those is noise.
 */
const SUITE = ['--suites', packagePath('tests', 'gate'), '--suite', 'gate', '--workers', '1', '--quiet'];
const REPEATS = 20;
/** Effects of a busy machine on any run; the rule itself is tested with synthetic times. */
const OF_TIME = ['slowdown', 'speedup'];

let directory: string;
let plugin: string;

const command = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  inProcess(args, directory, env);

const run = (output: string, step = '', args: readonly string[] = [], library = plugin): Promise<Ended> =>
  command(['run', '--plugin', `gated=${library}`, '--output', output, ...SUITE, ...args], { PJRT_GATE_STEP: step });

const read = (...path: string[]): string => readFileSync(join(directory, ...path), 'utf8');
const runsIn = (names: readonly string[]) => readRuns(names.map((name) => ({ name, path: join(directory, name) })));
const compared = (old: readonly string[], now: readonly string[]): Comparison =>
  compareRuns(runsIn(old), runsIn(now), DEFAULT_POLICY);
/** A copy of a log with a fixed time for each compilation, because tests must not depend on real times. */
function timed(from: string, to: string, compileMs: number): string {
  const events = read(from, 'events.jsonl').trimEnd().split('\n');
  const changed = events.map((line, i) => {
    const event = JSON.parse(line) as Event;
    if (event.type !== 'case' || event.result.callMs?.PJRT_Client_Compile === undefined) return line;
    const took = compileMs + (i % 5) / 10;
    const times = { callMs: { PJRT_Client_Compile: took }, nativeMs: took, durationMs: took + 1 };
    return JSON.stringify({ ...event, result: { ...event.result, ...times, scheduling: undefined } });
  });
  writeFileSync(join(directory, `${to}.jsonl`), `${changed.join('\n')}\n`);
  return `${to}.jsonl`;
}
const same = Array.from({ length: REPEATS }, (_, i) => `same${i}`);

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-gate-'));
  const source = packagePath('fixtures', 'gate', 'plugin.c');
  plugin = await buildOnToy(source, packagePath('build', 'gate', 'plugin.so'));
  for (const name of same) expect(await run(name)).toMatchObject({ status: 0, stderr: '' });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('a regression fails the gate', () => {
  test.each<[step: string, kind: string, subject: string, old: string, now: string]>([
    ['failure', 'new-failure', 'gate:negative-id', 'pass', 'fail'],
    ['crash', 'new-crash', 'gate:negative-id', 'pass', 'crash'],
    ['lost-function', 'lost-function', 'PJRT_Client_ProcessIndex', 'works', 'null'],
    ['lost-extension', 'lost-extension', 'Layouts', '96 bytes', 'absent'],
    ['ulp', 'ulp-drift', 'gate:numbers[n=4]', '1 ULP', '4 ULP'],
  ])('%s', async (step, kind, subject, old, now) => {
    await run(step, step);
    const { status, stdout, stderr } = await command(['compare', 'same0', step, '--format', 'json']);
    expect([status, stderr]).toEqual([1, '']);
    const { changes, gate } = parseAs<Comparison>('comparison', stdout);
    expect(gate.verdict).toBe('fail');
    expect(changes).toContainEqual(expect.objectContaining({ kind, action: 'fail', subject, old, new: now }));
  });

  test('one minor version of the API', async () => {
    const source = packagePath('fixtures', 'gate', 'plugin.c');
    const older = await buildOnToy(source, packagePath('build', 'gate', 'plugin-0.113.so'), { minor: 113 });
    await run('older', '', [], older);
    const { status, stdout } = await command(['compare', 'same0', 'older']);
    expect(status).toBe(1);
    expect(stdout).toMatch(/✗ Older version of the C API \(1\)\n {2}C API version {2}0\.114 → 0\.113\n/);
  });

  test('compilation that takes twice as long, with the confidence', async () => {
    await run('slow', 'slow-compile');
    const sides = [
      ...['--old', ...[0, 1, 2].map((n) => timed(`same${n}`, `fast${n}`, 3 + n / 50))],
      ...['--new', ...[0, 1, 2].map((n) => timed('slow', `slow${n}`, 6 + n / 50))],
    ];
    const printed = await command(['compare', ...sides]);
    expect(printed.stdout).toMatch(
      /! Slower calls \(1\)\n {2}PJRT_Client_Compile {2}.* → .*\n.* as slow over 20 cases, slower in \d+ of them; confidence (over )?99\.\d+ %/,
    );
    // Lenient for time, unless the policy says otherwise.
    expect(printed.status).toBe(0);
    writeFileSync(join(directory, 'gate.yaml'), 'changes: { slowdown: fail }\n');
    expect((await command(['compare', ...sides, '--policy', 'gate.yaml'])).status).toBe(1);
  });
});

describe('the same plugin', () => {
  test(`${REPEATS} times: nothing but time ever changes, and the gate passes`, () => {
    for (const name of same.slice(1)) {
      const { gate, changes } = compared(['same0'], [name]);
      expect([name, gate.verdict]).toEqual([name, 'pass']);
      // A comparison of single runs cannot always distinguish a busy machine from a slower plugin.
      expect(changes.filter(({ kind }) => !OF_TIME.includes(kind))).toEqual([]);
    }
  });

  test('as repeats against repeats: nothing but time ever changes', async () => {
    const even = same.filter((_, i) => i % 2 === 0);
    const odd = same.filter((_, i) => i % 2 === 1);
    const { gate, changes } = compared(even, odd);
    expect(gate.verdict).toBe('pass');
    expect(changes.filter(({ kind }) => !OF_TIME.includes(kind))).toEqual([]);
  });

  test('is the same from its log, its JSON report and its directory, and in shards', async () => {
    const json = await command(['compare', 'same0/report.json', 'same1/events.jsonl', '--format', 'json']);
    const whole = await command(['compare', 'same0', 'same1', '--format', 'json']);
    const bare = (text: string): object => ({
      ...parseAs<Comparison>('comparison', text),
      ...{ old: undefined, new: undefined },
    });
    expect(bare(json.stdout)).toEqual(bare(whole.stdout));
    for (const part of [1, 2]) await run(`part${part}`, '', ['--shard', `${part}/2`]);
    const sharded = await command(['compare', '--old', 'same0', '--new', 'part1', 'part2', '--verbose']);
    expect([sharded.status, sharded.stderr]).toEqual([0, '']);
    expect(sharded.stdout).toContain('24 as before');
  });
});

describe('run --baseline', () => {
  test('with --gate: exit code 1 for a regression of a run that passes; the comparison is beside the reports', async () => {
    const { status, stdout } = await run('gated', 'lost-extension', ['--baseline', 'same0', '--gate']);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /cases selected .*\(exit code 0\)[\s\S]*gate: 1 regression \(exit code of the run with its gate 1\)/,
    );
    validateJunit(read('gated', 'comparison.xml'));
    expect(read('gated', 'comparison.md')).toContain('### Lost extensions (1)');
    expect(parseAs<Comparison>('comparison', read('gated', 'comparison.json')).gate.verdict).toBe('fail');
  });

  test('without --gate it is reported and does not count; in a GitHub workflow the summary has it', async () => {
    const summary = join(directory, 'summary.md');
    const env = { PJRT_GATE_STEP: 'lost-extension', GITHUB_STEP_SUMMARY: summary };
    const args = ['run', '--plugin', `gated=${plugin}`, '--output', 'compared', ...SUITE, '--baseline', 'same0'];
    const { status, stdout } = await command(args, env);
    expect([status, stdout]).toEqual([0, expect.stringContaining('for information only: --gate makes it count')]);
    expect(readFileSync(summary, 'utf8')).toContain('## ❌ PJRT gate: 1 regression');
  });

  test('a requested page is one of both: the report and the comparison', async () => {
    const args = ['run', '--plugin', `gated=${plugin}`, '--output', 'pages', ...SUITE.filter((a) => a !== '--quiet')];
    const { status, stdout } = await command([...args, '--baseline', 'same0', '--gate', '--report', 'html=my.html']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^comparison html +pages\/comparison\.html$/m);
    expect(read('pages', 'comparison.html')).toMatch(/^<!doctype html>/i);
    expect(existsSync(join(directory, 'my.html'))).toBe(true);
    // If a run does not get that far, no comparison of another run remains.
    const failed = await command([...args, '--baseline', 'same0', '--junit', 'same0']);
    expect([failed.status, failed.stderr]).toEqual([2, expect.stringContaining('same0')]);
    expect(existsSync(join(directory, 'pages', 'comparison.json'))).toBe(false);
  });

  test.each<[string, string[], RegExp]>([
    ['--gate alone', ['--gate'], /--gate needs --baseline/],
    ['a policy alone', ['--policy', 'x.yaml'], /--policy x\.yaml needs --baseline/],
    ['no such baseline', ['--baseline', 'nowhere'], /nowhere: there is no such file/],
    ['no such policy', ['--baseline', 'same0', '--policy', 'no.yaml'], /no\.yaml: the policy cannot be read/],
    ['nothing in common', ['--baseline', 'same0', '--tests', 'errors/*'], /it has no case in common with this run/],
  ])('%s is one clear error before anything runs', async (_, args, message) => {
    const library = [
      'run',
      '--plugin',
      `gated=${plugin}`,
      '--output',
      'none',
      '--suites',
      packagePath('tests', 'gate'),
    ];
    const { status, stdout, stderr } = await command([...library, ...args]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(existsSync(join(directory, 'none'))).toBe(false);
  });
});

describe('compare', () => {
  test('prints one format and writes others', async () => {
    const reports = ['--report', 'junit=deep/gate.xml', '--report', 'text', '--output', 'files'];
    const { status, stdout, stderr } = await command(['compare', 'same0', 'same1', '--format', 'markdown', ...reports]);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^## ✅ PJRT gate: no regression in 24 cases/)]);
    expect(stderr).toMatch(/junit +deep\/gate\.xml\ntext +files\/comparison\.txt/);
    validateJunit(read('deep', 'gate.xml'));
    expect(read('files', 'comparison.txt')).toContain('gate: no regression in 24 cases');
  });

  test('the printed default policy changes nothing', async () => {
    writeFileSync(join(directory, 'default.yaml'), (await command(['compare', '--print-policy'])).stdout);
    const { status, stdout } = await command(['compare', 'same0', 'same1', '--policy', 'default.yaml', '--quiet']);
    expect([status, stdout]).toEqual([0, expect.stringContaining('gate: no regression in 24 cases')]);
  });

  test.each<[string, string[], RegExp]>([
    ['one file', ['same0'], /expected compare OLD NEW/],
    ['three files', ['same0', 'same1', 'same2'], /got 3 files: which are old\?/],
    ['both ways', ['same0', '--old', 'same1', '--new', 'same2'], /expected compare OLD NEW/],
    ['a file that is neither', ['same0', 'same0/junit.xml'], /junit\.xml:1: not JSON/],
    ['other JSON', ['same0', 'other.json'], /other\.json: not a JSON report of a run: .* required property/],
    ['torn JSON', ['same0', 'torn.json'], /torn\.json:2:20: neither an event log nor a JSON report/],
    ['an empty directory', ['same0', '.'], /the directory has no events\.jsonl and no report\.json/],
    ['a format', ['same0', 'same1', '--format', 'markdwn'], /did you mean "markdown"\?/],
    ['a policy', ['same0', 'same1', '--policy', 'bad.yaml'], /bad\.yaml:1:12.*: unknown key "new-failur"/],
  ])('%s is one clear error', async (_, args, message) => {
    writeFileSync(join(directory, 'other.json'), '{"a": 1}');
    writeFileSync(join(directory, 'torn.json'), '{\n  "version": "1.2",');
    writeFileSync(join(directory, 'bad.yaml'), 'changes: { new-failur: warn }');
    const { status, stdout, stderr } = await command(['compare', ...args]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});
