import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { Event } from '../harness/model/events.ts';
import { readEvents } from '../harness/report/index.ts';
import { command as builtCommand } from './support/command.ts';
import { buildHostile } from './support/hostile.ts';
import { validateJunit } from './support/junit-schemas.ts';

const SUITE = ['--suites', packagePath('tests', 'suites'), '--suite', 'hostile', '--workers', '1'];
/** Enough cases for two shards. */
const MORE = ['--tests', 'hostile:round-trip', '--tests', 'hostile:attributes'];
/** The other one has a process of its own: in a process that others have used, what fails is repeated alone. */
const CASES = ['--tests', 'hostile:lookup', '--tests', 'hostile:own-client'];

let directory: string;
let planned: string;
let segv: string;
beforeAll(async () => {
  planned = await buildHostile('fails-as-planned');
  segv = await buildHostile('segv-in-compile');
});
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-expectations-'));
  return () => rmSync(directory, { recursive: true, force: true });
});
const command = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => builtCommand(args, directory, env);

/** Runs the plugin whose calls follow a plan: `f` fails, `c` crashes, anything else succeeds. */
function run(plan: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const path = join(directory, 'plan');
  writeFileSync(path, plan);
  return command(['run', '--plugin', planned, '--output', 'out', ...SUITE, ...CASES, ...args], {
    PJRT_TOY_PLAN: path,
    ...env,
  });
}

const read = (...path: string[]): string => readFileSync(join(directory, ...path), 'utf8');
const write = (text: string): void => writeFileSync(join(directory, 'e.yaml'), text);
const events = (output = 'out'): Event[] => [...readEvents(join(directory, output, 'events.jsonl'))];

const entry = (...lines: string[]): string =>
  `expectations:\n  - cases: hostile:lookup\n    ${lines.some((l) => l.startsWith('reason:')) ? '' : 'reason: a known bug'}\n${lines.map((l) => `    ${l}\n`).join('')}`;
const WITH = ['--expectations', 'e.yaml'];
const STRICT = [...WITH, '--strict-expectations'];

/** Logs of runs without expectations, by the plan of the plugin. */
let logs: string;
beforeAll(() => {
  logs = mkdtempSync(join(tmpdir(), 'pjrt-expectations-'));
  directory = logs;
  for (const plan of ['f', 'c', '.']) run(plan, ['--output', plan === '.' ? 'pass' : plan]);
});
afterAll(() => rmSync(logs, { recursive: true, force: true }));

const report = (plan: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  command(['report', join(logs, plan, 'events.jsonl'), '--output', 'out', ...args], env);

describe('what is expected', () => {
  test.each<[string, string, string[], string[], number, RegExp]>([
    ['a failure', 'f', ['expect: fail'], WITH, 0, /1 of 2 cases passed, 1 failed as expected/],
    ['a crash instead of a failure', 'c', ['expect: fail'], WITH, 1, /1 of 2 cases violate a MUST \(1 crash\)/],
    ['a pass, strict', 'pass', ['expect: fail'], STRICT, 1, /expectations are stale: 1 case passed unexpectedly/],
    ['a reason that is none', 'f', ['expect: fail', 'reason: TODO say why'], WITH, 0, /1 failed as expected/],
    [
      'a reason that is none, strict',
      'f',
      ['expect: fail', 'reason: TODO say why'],
      STRICT,
      1,
      /entry 1 without a reason/,
    ],
    ['the day after', 'f', ['expect: fail', 'expires: 2026-02-27'], WITH, 1, /\(1 fail\)/],
  ])('%s', (_, plan, lines, args, code, verdict) => {
    write(entry(...lines));
    const epoch = { SOURCE_DATE_EPOCH: String(Date.parse('2026-02-28') / 1000) };
    const { status, stdout, stderr } = report(plan, args, epoch);
    expect([status, stderr], stdout).toEqual([code, '']);
    expect(stdout).toMatch(verdict);
    const xml = read('out', 'junit.xml');
    validateJunit(xml);
    expect(/<failure|<error/.test(xml)).toBe(code !== 0);
  });

  test('a live run and its log give the same verdict', () => {
    write(entry('expect: crash', 'when: { plugin: fails-*, apiMinor: { min: 114 }, platformVersion: "*" }'));
    const { status, stdout } = run('c', STRICT);
    expect([status, stdout]).toEqual([0, expect.stringContaining('1 failed as expected')]);
    expect(report('c', STRICT).stdout).toContain('1 failed as expected');
  });

  test('an entry that matches no case is reported, and fails the run on request', () => {
    write('expectations:\n  - { cases: hostile:lokup, expect: fail, reason: old }\n');
    const reported = report('pass', WITH);
    expect([reported.status, reported.stdout]).toEqual([
      0,
      expect.stringMatching(/^stale +e\.yaml:2: no case matches hostile:lokup/m),
    ]);
    const strict = run('.', STRICT);
    expect([strict.status, strict.stdout]).toEqual([
      1,
      expect.stringContaining('expectations are stale: 1 entry 1 unmatched'),
    ]);
    expect(read('out', 'junit.xml')).toContain('type="pjrt.StaleExpectation"');
  });

  test('entries about cases that a run excludes are not stale', () => {
    write(
      'expectations:\n  - { cases: "hostile:on-*", expect: fail, reason: old }\n  - { cases: "buffers/*", expect: fail, reason: old }\n',
    );
    expect(report('pass', [...STRICT, '--suites', packagePath('tests', 'suites')]).status).toBe(0);
  });

  test('an invalid or missing file is one clear error, and nothing is run', () => {
    write(entry('expect: fial'));
    const wrong = run('.', WITH);
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(/^error: e\.yaml:4:13: expectations\[0\]\.expect: unknown value\n.*one of fail/),
    ]);
    rmSync(join(directory, 'e.yaml'));
    const gone = run('.', WITH);
    expect([gone.status, gone.stderr]).toEqual([
      2,
      expect.stringMatching(/^error: e\.yaml: cannot be read: there is no such file$/m),
    ]);
    expect(run('.', ['--update-expectations']).stderr).toMatch(
      /--update-expectations: expected one --expectations FILE/,
    );
    expect(existsSync(join(directory, 'out'))).toBe(false);
  });
});

describe('an old log', () => {
  test('is evaluated with a file as the run would have been', () => {
    write(entry('expect: fail'));
    const live = run('f', [...WITH, '--report', 'markdown', '--report', 'ctrf']);
    expect(live.status).toBe(0);
    const again = ['--report', 'markdown', '--report', 'ctrf'];
    expect(command(['report', 'out/events.jsonl', '--output', 'same', ...again]).status).toBe(0);
    for (const name of ['junit.xml', 'report.md', 'ctrf.json', 'report.json']) {
      expect(read('same', name), name).toBe(read('out', name));
    }
    expect(read('out', 'junit.xml')).toContain('<skipped message="EXPECTED_FAIL: a known bug">');
  });

  test('in several parts is one with the marks of all', () => {
    write(entry('expect: fail'));
    for (const part of [1, 2]) run('f', [...WITH, ...MORE, '--shard', `${part}/2`, '--output', `part${part}`]);
    const merged = command(['report', 'part1/events.jsonl', 'part2/events.jsonl', '--output', 'merged']);
    expect([merged.status, merged.stderr]).toEqual([0, '']);
    expect(merged.stdout).toContain('1 failed as expected');
    expect(read('merged', 'report.json')).toContain('"standing": "active"');
  });
});

describe('--update-expectations', () => {
  test('writes a first file with which the run would have passed, and keeps what people wrote', () => {
    const first = command([
      'run',
      '--plugin',
      segv,
      '--output',
      'out',
      ...SUITE,
      '--tests',
      'hostile:compile',
      '--tests',
      'hostile:lookup',
      ...WITH,
      '--update-expectations',
    ]);
    expect([first.status, first.stdout]).toEqual([
      1,
      expect.stringMatching(
        /^expectations: e\.yaml: entries: 1 added, 0 narrowed, 0 removed; give a reason at each TODO in it$/m,
      ),
    ]);
    expect(read('e.yaml')).toContain(
      '  - cases: hostile:compile\n    expect: crash\n    reason: "TODO say why: the process died with SIGSEGV in PJRT_Client_Compile: it writes through a null pointer (address 0x0)"\n',
    );
    const mine = read('e.yaml').replace(/reason: .*/, 'reason: no compiler yet # ask us');
    write(mine);
    const judged = command(['report', 'out/events.jsonl', ...STRICT, '--update-expectations', '--output', 'again']);
    expect([judged.status, judged.stdout]).toEqual([0, expect.stringContaining('expectations: e.yaml is up to date')]);
    expect(read('e.yaml')).toBe(mine);
    // Entries for another plugin are not changed.
    const other = run('f', [...WITH, '--update-expectations']);
    expect(other.stdout).toContain(
      'e.yaml is unchanged, it applies to other runs: the plugin is fails-as-planned, not segv-in-compile',
    );
    expect(read('e.yaml')).toBe(mine);
  });
});

describe('attempts', () => {
  const attemptsOf = (id = 'hostile:lookup') =>
    events().flatMap((event) => (event.type === 'case' && event.id === id ? (event.result.attempts ?? []) : []));

  test.each<[string, string, string[], number, string[], RegExp]>([
    ['every other time', 'f.f.', ['--repeat', '4'], 1, ['fail', 'pass', 'fail', 'pass'], /\(1 flaky\)/],
    ['that never hold', 'fff', ['--rerun-failed', '2'], 1, ['fail', 'fail', 'fail'], /\(1 fail\)/],
    [
      'crashing at first, allowed',
      'c',
      ['--rerun-failed', '1', '--allow-flaky'],
      0,
      ['crash', 'pass'],
      /1 of 2 cases passed, 1 flaky/,
    ],
    [
      'repeated, then rerun',
      'ff',
      ['--repeat', '2', '--rerun-failed', '2'],
      1,
      ['fail', 'fail', 'pass'],
      /\(1 flaky\)/,
    ],
  ])('%s', (_, plan, args, code, statuses, verdict) => {
    const { status, stdout, stderr } = run(plan, args);
    expect([status, stderr], stdout).toEqual([code, '']);
    expect(stdout).toMatch(verdict);
    const attempts = attemptsOf();
    expect(attempts.map((attempt) => attempt.status)).toEqual(statuses);
    // Each in a process of its own, so that none sees what another left behind.
    expect(new Set(attempts.map(({ worker }) => worker)).size).toBe(statuses.length);
    validateJunit(read('out', 'junit.xml'));
  });

  test('a flaky case that is expected to be flaky does not fail the run, whether it fails or not; one that always fails does', () => {
    write(entry('expect: flaky'));
    const rerun = [...STRICT, '--rerun-failed', '1'];
    expect(run('f', rerun).status).toBe(0);
    // An expected failure, whether it fails each time or now and then (verdict/standing.ts); the attempts are in its text.
    expect(read('out', 'junit.xml')).toMatch(
      /<skipped message="EXPECTED_FAIL: [^>]*>[^<]*attempts: 1 of 2 attempts failed/,
    );
    expect(run('.', rerun).status).toBe(0);
    expect(run('ff', rerun).status).toBe(1);
  });

  test('expected failures are not rerun', () => {
    write(entry('expect: fail'));
    expect(run('f', [...WITH, '--rerun-failed', '3']).status).toBe(0);
    expect(attemptsOf()).toEqual([]);
  });

  test('attempts are in the report of merged parts', () => {
    for (const part of [1, 2]) run('f.', ['--repeat', '2', ...MORE, '--shard', `${part}/2`, '--output', `part${part}`]);
    const merged = command(['report', 'part1/events.jsonl', 'part2/events.jsonl', '--output', 'merged']);
    expect([merged.status, merged.stderr]).toEqual([1, '']);
    expect(merged.stdout).toContain('1 of 2 attempts failed: fail, pass');
  });

  test('an interrupted run keeps its attempts', () => {
    const { status, stdout } = run('f', ['--repeat', '2', '--max-failures', '1', '--tests', 'hostile:unknown-device']);
    expect([status, stdout]).toEqual([1, expect.stringContaining('1 flaky')]);
  });
});
