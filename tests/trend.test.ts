import { appendFileSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { JsonReport } from '../harness/report/index.ts';
import type { JsonTrend } from '../harness/report/trend/formats.ts';
import { command } from './support/command.ts';
import { buildHostile } from './support/hostile.ts';
import { parseAs } from './support/json-schemas.ts';

/** Trends of real runs: a plugin whose look-up of devices fails when the test wants it, in two builds. */

/** `.`: the look-up works; `f`: it returns an error; `c`: it ends the process, also when the case is repeated. */
const NIGHTS: readonly (readonly [name: string, build: 'first' | 'second', plan: string])[] = [
  ['z-oldest', 'first', '.'],
  ['night-2', 'first', '.'],
  ['night-3', 'first', 'f'],
  ['night-4', 'first', '.'],
  ['night-5', 'second', 'c'],
  ['a-newest', 'second', '.'],
];
const CASE = 'hostile:lookup';

let directory: string;
const runs = NIGHTS.map(([name]) => name);
const trend = (...args: string[]) => command(['trend', ...args], directory);

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-trend-'));
  const plugin = await buildHostile('fails-as-planned');
  for (const build of ['first', 'second']) copyFileSync(plugin, join(directory, `${build}.so`));
  // Another build is another file.
  appendFileSync(join(directory, 'second.so'), '\0');
  for (const [name, build, plan] of NIGHTS) {
    const file = join(directory, `${name}.plan`);
    writeFileSync(file, plan.repeat(40));
    const selection = ['--suites', packagePath('tests', 'suites'), '--tests', 'hostile:*', '--workers', '1', '--quiet'];
    const { status } = command(
      ['run', '--plugin', `planned=./${build}.so`, '--output', name, ...selection],
      directory,
      { PJRT_TOY_PLAN: file },
    );
    expect([name, status]).toEqual([name, plan === '.' ? 0 : 1]);
  }
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('runs are in the order of time, with the counts of their reports; the case that varies is unstable', () => {
  const { status, stdout, stderr } = trend(...[...runs].sort(), '--format', 'json');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const found = parseAs<JsonTrend>('trend', stdout);
  expect(found.runs.map(({ name }) => name)).toEqual(runs);
  for (const { name, counts, verdict, failing, excused } of found.runs) {
    const report = JSON.parse(readFileSync(join(directory, name, 'report.json'), 'utf8')) as JsonReport;
    expect([name, verdict]).toEqual([name, report.verdict]);
    expect(counts).toEqual(Object.fromEntries(Object.keys(counts).map((key) => [key, report.summary[key as 'pass']])));
    const causes = report.rootCauses;
    expect(failing).toBe(causes.reduce((sum, cause) => sum + cause.failing, 0));
    expect(excused).toBe(causes.reduce((sum, cause) => sum + cause.excused, 0));
  }
  const item = found.cases.find((one) => one.case === CASE)!;
  expect(item).toMatchObject({ kind: 'unstable', strip: '..F.C.', tried: 6, failed: 2, failures: ['fail', 'crash'] });
});

test('the terminal shows the strip, and what it costs to excuse it; the page and the text are files', () => {
  const { status, stdout } = trend(...runs, '--report', 'html', '--report', 'text=sum.txt', '--no-color');
  expect(status).toBe(0);
  expect(stdout).toContain(`  ..F.C.  ${CASE}\n      failed in 2 of the last 6 runs\n`);
  expect(stdout).toMatch(/\nhtml +trend\.html\ntext +sum\.txt\n$/);
  expect(stdout.startsWith(readFileSync(join(directory, 'sum.txt'), 'utf8'))).toBe(true);
  expect(readFileSync(join(directory, 'trend.html'), 'utf8')).toContain('data-part="trend"');
});

test('proposed expectations excuse each of the runs, and are not written over', () => {
  const { status, stdout } = trend(...runs, '--expectations', 'unstable.yaml', '--quiet');
  expect([status, stdout]).toEqual([0, expect.stringContaining('unstable')]);
  const file = join(directory, 'unstable.yaml');
  expect(readFileSync(file, 'utf8')).toContain('reason: failed in 2 of the last 6 runs');
  for (const name of runs) {
    const judged = command(
      ['report', name, '--expectations', 'unstable.yaml', '--strict-expectations', '--output', 'judged'],
      directory,
    );
    expect([name, judged.status]).toEqual([name, 0]);
  }
  expect(trend(...runs, '--expectations', 'unstable.yaml')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--expectations unstable.yaml: the file exists'),
  });
  const steady = trend('z-oldest', 'night-2', '--expectations', 'none.yaml');
  expect(steady).toMatchObject({ status: 0, stdout: expect.stringContaining('no case is unstable') });
  expect(existsSync(join(directory, 'none.yaml'))).toBe(false);
});

test('a build since which it fails is named', () => {
  const { stdout } = trend('night-2', 'night-4', 'night-5', '--no-color');
  expect(stdout).toMatch(
    / {2}\.\.C {2}hostile:lookup\n {6}fails since run 3 \(night-5\), with another build of the plugin \([0-9a-f]{8}\); failed in 1 of the last 3 runs/,
  );
});

test('a run that was cut off counts with what it has, and is marked; what is no run is refused by name', () => {
  const log = readFileSync(join(directory, 'a-newest', 'events.jsonl'), 'utf8');
  writeFileSync(join(directory, 'cut.jsonl'), log.split('\n').slice(0, -8).join('\n'));
  const { status, stdout } = trend('z-oldest', 'cut.jsonl', '--no-color');
  expect(status).toBe(0);
  expect(stdout).toContain('cut.jsonl (incomplete)');
  expect(stdout).toContain('caution  run 2 is incomplete: ');
  for (const [args, said] of [
    [['z-oldest'], 'z-oldest: it is the only run'],
    [['z-oldest', 'first.so'], 'first.so'],
    [['z-oldest', 'nowhere'], 'nowhere: there is no such file'],
    [
      ['z-oldest', 'night-2', '--report', 'html=z-oldest/events.jsonl'],
      'cannot be both a run of the trend and the trend html',
    ],
  ] as const) {
    const refused = trend(...args);
    expect([args.join(' '), refused.status, refused.stdout]).toEqual([args.join(' '), 2, '']);
    expect(refused.stderr).toContain(said);
  }
});
