import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunResult } from '../harness/api/run.ts';
import { packagePath } from '../harness/base/paths.ts';
import type { Event } from '../harness/model/events.ts';
import type { Counts } from '../harness/model/status.ts';
import { type JsonReport, readEvents } from '../harness/report/index.ts';
import { packPackage } from '../tools/build/pack.ts';
import { quietEnvironment } from './support/cli.ts';
import { buildHostile } from './support/hostile.ts';

let directory: string;
let toy: string;
let crashing: string;

/** A project with the package as users install it, and the packages that it and the examples need. */
beforeAll(async () => {
  [toy, crashing] = await Promise.all([buildHostile('toy'), buildHostile('segv-in-compile')]);
  directory = mkdtempSync(join(tmpdir(), 'pjrt-api-'));
  const { tarball } = packPackage(directory);
  const installed = join(directory, 'node_modules', 'pjrt-conformance');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of [...Object.keys(dependencies), 'vitest', '@types']) {
    const link = join(directory, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(packagePath('node_modules', name), link);
  }
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ type: 'module' }));
  cpSync(packagePath('examples', 'vitest', 'plugin.spec.ts'), join(directory, 'plugin.spec.ts'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a program of the project and returns its output. */
function node(args: readonly string[], env: Record<string, string> = {}) {
  return spawnSync(process.execPath, args, {
    cwd: directory,
    encoding: 'utf8',
    env: { ...quietEnvironment(), ...env },
  });
}

/** A program that prints one value as JSON. */
function evaluated(names: string, expression: string): unknown {
  const file = join(directory, 'program.js');
  writeFileSync(
    file,
    `import { ${names} } from 'pjrt-conformance';\nconsole.log(JSON.stringify(await (${expression})));\n`,
  );
  const { stdout, stderr } = node([file]);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

/** Output of the command with `--format json`. */
const command = (...args: string[]): unknown =>
  JSON.parse(
    node([join(directory, 'node_modules', 'pjrt-conformance', 'dist', 'cli', 'main.js'), ...args, '--format', 'json'])
      .stdout,
  );

const blocks = (): string[] =>
  [...readFileSync(packagePath('docs', 'api.md'), 'utf8').matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code!);

test('the first program of docs/api.md prints the defects of a plugin, and writes the reports', () => {
  const [first] = blocks();
  writeFileSync(join(directory, 'first.js'), first!.replace('./pjrt-plugin-foo.so', toy));
  const { status, stdout, stderr } = node(['first.js']);
  expect(stderr).toBe('');
  const lines = stdout.trim().split('\n');
  expect(lines[0]).toMatch(status === 0 ? /^\d+ of \d+ cases selected / : /^fails/);
  expect(readFileSync(lines.at(-1)!, 'utf8')).toContain('<testsuites');
});

test('the programs of docs/api.md and the example match the types of the package', () => {
  const files = blocks().map((code, i) => {
    const name = `block${i}.ts`;
    writeFileSync(join(directory, name), code);
    return name;
  });
  expect(files.length).toBeGreaterThan(1);
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  const { stdout, status } = node([
    packagePath('node_modules/typescript/bin/tsc'),
    ...flags,
    ...files,
    'plugin.spec.ts',
  ]);
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

test('the example makes each suite a test', () => {
  const vitest = packagePath('node_modules', 'vitest', 'vitest.mjs');
  const { stdout } = node([vitest, 'run', '--root', directory, '--reporter', 'json'], { PJRT_PLUGIN: toy });
  const { testResults } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
    testResults: { assertionResults: { title: string; status: string }[] }[];
  };
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const { suites } = JSON.parse(
    readFileSync(join(directory, 'reports', 'vitest', 'report.json'), 'utf8'),
  ) as JsonReport;
  expect(suites.length).toBeGreaterThan(2);
  const isFailure = ({ counts }: JsonReport['suites'][number]) =>
    counts.fail + counts.crash + counts.timeout + counts.error + counts.notrun > 0;
  expect(Object.fromEntries(results.map(({ title, status }) => [title, status]))).toEqual({
    'the plugin conforms': suites.some(isFailure) ? 'failed' : 'passed',
    ...Object.fromEntries(suites.map((suite) => [suite.suite, isFailure(suite) ? 'failed' : 'passed'])),
  });
});

test('a plugin that crashes gives a result, and the program receives all events', () => {
  const request = JSON.stringify({ plugin: crashing, suite: ['compile/options'], workers: 1, output: 'crashing' });
  const [result, counts, types] = evaluated(
    'run',
    `(async () => {
      const types = [];
      const { run: log, ...result } = await run({ ...${request}, onEvent: ({ type }) => types.push(type) });
      return [result, log.counts, types];
    })()`,
  ) as [Omit<RunResult, 'run'>, Counts, Event['type'][]];
  expect(result).toMatchObject({ exitCode: 1, verdict: { name: 'fails', exitCode: 1 } });
  expect(Object.keys(result.reports)).toEqual(['junit', 'json']);
  expect(counts.crash).toBeGreaterThan(0);
  const written = [...readEvents(result.log)].map(({ type }) => type).filter((type) => type !== 'checkpoint');
  expect(types).toEqual(written);
});

test('functions return what the commands print', () => {
  const plugin = JSON.stringify({ plugin: toy });
  expect(evaluated('inspect', `inspect(${plugin})`)).toEqual(command('inspect', toy));
  expect(evaluated('doctor', `doctor(${plugin})`)).toEqual(command('doctor', toy));
  const files = JSON.stringify({ old: 'crashing', new: 'crashing' });
  const compared = evaluated('compare', `compare(${files})`);
  expect({ version: '1.0', ...(compared as object) }).toEqual(command('compare', 'crashing', 'crashing'));
  expect(evaluated('list', `list({ suite: ['load'] })`)).toEqual(command('list', '--suite', 'load'));
  expect(evaluated('coverage', 'coverage()')).toEqual(command('coverage'));
  expect(evaluated('validate', 'validate()')).toMatchObject({ problems: [] });
});

test('reports and bundles are made from the log of an earlier run', () => {
  const written = evaluated(
    'report',
    `report({ logs: 'crashing', report: ['html'] }).then(({ run, ...rest }) => rest)`,
  );
  expect(written).toMatchObject({ exitCode: 1, verdict: { name: 'fails' } });
  expect(Object.keys((written as RunResult).reports)).toEqual(['junit', 'json', 'html']);
  const { path } = evaluated('bundle', `bundle({ log: 'crashing' })`) as { path: string };
  expect(evaluated('verify', `verify(${JSON.stringify(path)})`)).toMatchObject({ violations: [] });
});

test('each mistake is an error of its class', () => {
  const kind = (call: string): string => `${call}.catch((error) => error.constructor.name + ': ' + error.message)`;
  expect(evaluated('run', kind(`run({ plugin: './nosuch.so' })`))).toMatch(/^PluginError: .*nosuch\.so/);
  expect(evaluated('run', kind(`run({ plugin: ${JSON.stringify(toy)}, tests: ['nosuch:*'] })`))).toMatch(
    /^UsageError: /,
  );
  expect(evaluated('verify', kind(`verify('package.json')`))).toMatch(/^UnreadableError: /);
});
