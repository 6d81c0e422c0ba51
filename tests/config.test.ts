import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { JsonReport } from '../harness/report/index.ts';
import { command as builtCommand } from './support/command.ts';
import { buildHostile } from './support/hostile.ts';
import { parseAs } from './support/json-schemas.ts';

let repository: string;
beforeAll(async () => {
  repository = mkdtempSync(join(tmpdir(), 'pjrt-repository-'));
  mkdirSync(join(repository, '.git'));
  mkdirSync(join(repository, 'sub'));
  configure('');
});
afterAll(() => rmSync(repository, { recursive: true, force: true }));

const configure = (text: string): void => writeFileSync(join(repository, 'pjrt-conformance.yaml'), text);

const command = (args: readonly string[], directory = 'sub') => builtCommand(args, join(repository, directory));

const SUITES = `suites: ${packagePath('tests', 'suites')}\nsuite: hostile\nworkers: 1\n`;

test('a run takes its options from the file, says so, and can be reproduced without it', async () => {
  const plugin = await buildHostile('segv-in-compile');
  configure(`plugin: ${plugin}\n${SUITES}output: out\nreports:\n  ctrf: out/results.json\n`);
  const run = command([]);
  expect([run.status, run.stderr]).toEqual([1, '']);
  expect(run.stdout.split('\n')[1]).toBe(
    'config ../pjrt-conformance.yaml: plugin, suites, suite, workers, reports, output',
  );
  expect(run.stdout).toContain(`reproduce: npx pjrt-conformance run --no-config --plugin ${plugin} --suites`);
  const report = parseAs<JsonReport>('report', readFileSync(join(repository, 'out', 'report.json'), 'utf8'));
  expect(report.config).toEqual({
    file: '../pjrt-conformance.yaml',
    keys: ['plugin', 'suites', 'suite', 'workers', 'reports', 'output'],
    leftOut: [],
  });
  expect(readFileSync(join(repository, 'out', 'results.json'), 'utf8')).toContain('"reportFormat":"CTRF"');

  const again = command(['report', '../out/events.jsonl', '--output', '../again', '--quiet']);
  expect([again.status, again.stderr]).toEqual([1, '']);
  expect(readFileSync(join(repository, 'again', 'report.json'), 'utf8')).toBe(
    readFileSync(join(repository, 'out', 'report.json'), 'utf8'),
  );
});

test('the command line takes precedence, --no-config reads none, --config another one', async () => {
  configure(`plugin: absent.so\n${SUITES}`);
  const toy = await buildHostile('toy');
  expect(command(['--plugin', toy, '--tests', 'hostile:platform-name', '--quiet']).status).toBe(0);
  expect(command([]).stderr).toMatch(
    /absent\.so: no such file: .*\n--plugin comes from \.\.\/pjrt-conformance\.yaml:1:9/,
  );
  expect(command(['--no-config']).stderr).toMatch(/required option '--plugin <plugin>' not specified/);
  writeFileSync(join(repository, 'other.yaml'), 'suite: hostil\n');
  const other = command(['list', '--config', '../other.yaml']);
  expect([other.status, other.stdout]).toEqual([2, '']);
  expect(other.stderr).toMatch(/--suite: nothing matches "hostil"/);
  expect(other.stderr).toContain('--suite comes from ../other.yaml:1:8');
  writeFileSync(join(repository, 'other.yaml'), 'suite: hostile\nsuites: [absent]\n');
  expect(command(['list', '--config', '../other.yaml']).stderr).toMatch(
    /^error: \.\.\/absent: cannot be read: (.|\n)*\n--suites \.\.\/absent comes from \.\.\/other\.yaml:2:9$/m,
  );
  expect(command(['list', '--config', 'nowhere.yaml']).stderr).toMatch(/^error: nowhere\.yaml: no such file/);
});

test('list reports on stderr what it took, so that its output stays a list', () => {
  configure(SUITES);
  const { status, stdout, stderr } = command(['list', '--format', 'ids']);
  expect([status, stderr]).toEqual([0, 'config ../pjrt-conformance.yaml: suites, suite\n']);
  expect(
    stdout
      .trim()
      .split('\n')
      .every((id) => id.startsWith('hostile:')),
  ).toBe(true);
});

test("a criterion of the file that only the command line's profile leaves empty is valid", () => {
  configure("exclude: ['coexistence/*']\n");
  const { status, stdout } = command(['list', '--profile', 'smoke', '--format', 'ids']);
  expect([status, stdout]).toEqual([0, expect.stringContaining('load/')]);
  configure("exclude: ['coexistense/*']\n");
  expect(command(['list', '--profile', 'smoke']).stderr).toMatch(
    /nothing matches .*\n.*did you mean "coexistence\/\*"\?/,
  );
});

test('commands without an argument take their subject from the file', async () => {
  const plugin = await buildHostile('segv-in-compile');
  configure(`plugin: ${plugin}\n${SUITES}output: kept\npolicy: strict.yaml\n`);
  writeFileSync(join(repository, 'strict.yaml'), 'changes: {untested-failure: fail}\n');
  expect(command(['run']).status).toBe(1);
  const configNote = (keys: string) => `config ../pjrt-conformance.yaml: ${keys}\n`;
  expect(command(['bundle'])).toMatchObject({ status: 0, stderr: configNote('output') });
  expect(command(['verify', '../kept/bundle.zip']).stdout).toMatch(/valid: /);
  rmSync(join(repository, 'kept', 'junit.xml'));
  expect(command(['report', '--quiet'])).toMatchObject({ status: 1, stderr: '' });
  expect(readFileSync(join(repository, 'kept', 'junit.xml'), 'utf8')).toContain('hostile');
  expect(command(['validate'])).toEqual({
    status: 0,
    stderr: configNote('suites'),
    stdout: '1 valid suite, 11 valid cases, 0 problems\n',
  });
  // Progress follows where loading takes long.
  const startsWithNote = { status: 0, stderr: expect.stringContaining(configNote('plugin')) };
  expect(command(['inspect', '--format', 'json'])).toMatchObject(startsWithNote);
  expect(command(['doctor'])).toMatchObject(startsWithNote);
  expect(command(['coverage', '--format', 'json'])).toMatchObject({ status: 0, stderr: configNote('suites') });
  // The policy of the gate also applies to the command compare.
  expect(command(['run', '--plugin', await buildHostile('toy'), '--output', '../recovered']).status).toBe(0);
  expect(command(['compare', '../kept', '../recovered'])).toMatchObject({ status: 1, stderr: configNote('policy') });
  expect(command(['compare', '../kept', '../recovered', '--no-config'])).toMatchObject({ status: 0, stderr: '' });
});

test('a command without a subject reports what is missing, and where it could be', () => {
  configure(SUITES);
  for (const [name, what, key] of [
    ['bundle', 'log', 'output'],
    ['report', 'logs', 'output'],
    ['inspect', 'plugin', 'plugin'],
    ['doctor', 'plugin', 'plugin'],
  ] as const) {
    const { status, stderr } = command([name, '--no-config']);
    expect(status).toBe(2);
    expect(stderr.split('\n')[0]).toBe(
      `error: missing required argument '${what}'; or \`${key}:\` in pjrt-conformance.yaml, which \`init\` writes`,
    );
    expect(command([name]).stderr).toContain(`'${what}', and ../pjrt-conformance.yaml names none\n`);
  }
});

test('an invalid file stops a command before anything runs, with every problem and its location', () => {
  configure('plugn: a.so\nworkers: none\ntimeouts:\n  call: soon\n');
  const { status, stdout, stderr } = command([]);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatchInlineSnapshot(`
    "error: ../pjrt-conformance.yaml:1:1: unknown key "plugn"
        expected: one of plugin, options, suites, profile, suite, tests, tag, requirement, exclude, workers, binding, host, nodes, store, as-api, exclusive, wait-device, reset-command, backtrace, fetch, allow-build, numerics, strict, accept-known, allow-flaky, expectations, strict-expectations, repeat, rerun-failed, max-failures, budget, baseline, gate, policy, timeouts, reports, junit-flavor, junit-hostname, github, output, events
        help: did you mean "plugin"?
    ../pjrt-conformance.yaml:2:10: workers: wrong type
        expected: an integer
        got: text "none"
    ../pjrt-conformance.yaml:4:9: timeouts.call: wrong form
        expected: a time such as 500ms, 90s or 2m; a number is seconds
        got: "soon"
    "
  `);
});
