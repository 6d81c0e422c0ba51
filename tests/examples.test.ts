import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { packagePath } from '../harness/base/paths.ts';
import { examplesOf } from '../harness/cli/help-examples.test-helper.ts';
import type { PluginFacts } from '../harness/model/plugin-facts.ts';
import type { JsonReport } from '../harness/report/index.ts';
import { commandLine } from '../tools/command-line/description.ts';
import { commandLines, fencesOf } from '../tools/docs/fences.ts';
import { quietEnvironment } from './support/cli.ts';
import { command, type Ended } from './support/command.ts';
import { buildHostile } from './support/hostile.ts';

/**
 * Runs every command of the README and of docs/tasks.md and every example of the help texts as written, in a directory with the
 * files that they mention.
 */

/** The directory of a user with a plugin, earlier runs, and suites. */
let home: string;
let directory: string;

/** Limits the selection, because other tests do full runs; options of an example take precedence. */
const CONFIG =
  'tests: ["load/*", "plugin/attributes:*", "coexistence/*", "models/training:adam*"]\nworkers: 1\noutput: reports/foo\n';

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-examples-'));
  home = join(directory, 'home');
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  };
  write('pjrt-conformance.yaml', CONFIG);
  write('foo.yaml', 'expectations:\n  - { cases: "load/*", expect: fail, reason: an example }\n');
  write('gate.yaml', 'changes: { new-warning: fail }\n');
  write('plugin.yaml', 'name: foo\nlibrary: ./foo.so\n');
  copyFileSync(join(home, 'foo.yaml'), join(home, 'expectations.yaml'));
  const [, lookups] = /```yaml\n(suite: mine\/lookups[\s\S]*?)```/.exec(
    readFileSync(packagePath('docs', 'writing-suites.md'), 'utf8'),
  )!;
  write('suites/mine/lookups.yaml', lookups!);
  write('other/suites/hostile.yaml', readFileSync(packagePath('tests', 'suites', 'hostile.yaml'), 'utf8'));
  for (const file of ['attention_bf16.mlir', 'attention_bf16.inputs.npz', 'attention_bf16.outputs.npz']) {
    mkdirSync(join(home, 'models'), { recursive: true });
    copyFileSync(packagePath('examples', 'programs', file), join(home, 'models', file));
  }
  // A checkout of StableHLO, as far as the corpus needs it, and what a campaign of fuzzing has found.
  const recorded = (name: string): string => readFileSync(packagePath('fixtures', 'recorded', name), 'utf8');
  write('stablehlo/stablehlo/tests/interpret/functions.mlir', recorded('functions.mlir'));
  // As many as shards need.
  for (let i = 0; i < 20; i++) write(`stablehlo/stablehlo/testdata/cosine_${i}.mlir`, recorded('scaled_sum.mlir'));
  for (const campaign of ['fuzz', 'explore'])
    write(`${campaign}/suites/lookups.yaml`, lookups!.replace('suite: mine/lookups', 'suite: lookups'));
  mkdirSync(join(home, '.config', 'fish', 'completions'), { recursive: true });
  const plugin = await buildHostile('toy');
  for (const name of ['pjrt-plugin-foo.so', 'foo.so', 'foo-1.2.so', 'a.so', 'b.so', 'build/pjrt-plugin-foo.so']) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    copyFileSync(plugin, join(home, name));
  }
  // Another version is another file.
  appendFileSync(join(home, 'foo-1.2.so'), '\0');
  expect(command(['run', '--plugin', './foo.so'], home)).toMatchObject({ status: 0, stderr: '' });
  expect(command(['bundle'], home).status).toBe(0);
  const looking = [process.execPath, packagePath('dist', 'cli', 'main.js'), 'inspect', './foo.so'];
  expect(command(['record', '-o', 'trace', '--', ...looking], home).status).toBe(0);
  for (const name of ['before', 'after']) cpSync(join(home, 'trace'), join(home, name), { recursive: true });
  copyFileSync(join(home, 'reports', 'foo', 'bundle.zip'), join(home, 'bundle.zip'));
  for (const name of ['reports/old', 'reports/release'])
    cpSync(join(home, 'reports', 'foo'), join(home, name), { recursive: true });
  // A trend counts no run twice.
  for (const name of ['reports/new', 'nightly/1', 'nightly/2', 'nightly/3']) {
    const nightly = ['run', '--plugin', './foo.so', '--output', name];
    expect(command(nightly, home).status).toBe(0);
  }
  for (const name of ['old', 'new'])
    copyFileSync(join(home, 'reports', 'foo', 'events.jsonl'), join(home, `${name}.jsonl`));
  command(['corpus', 'stablehlo', '--dir', 'stablehlo', '--plugin', './foo.so'], home);
  for (const side of ['base', 'pr']) cpSync(join(home, 'reports', 'foo'), join(home, `${side}-1`), { recursive: true });
  for (const part of [1, 2])
    command(['run', '--plugin', './foo.so', '--shard', `${part}/2`, '--output', `part${part}`], home);
  for (const part of [1, 2])
    cpSync(join(home, `part${part}`), join(home, 'results', `shard-${part}-of-2`), { recursive: true });
  // A submission to the conformance programme.
  const { sha256 } = (JSON.parse(readFileSync(join(home, 'reports', 'foo', 'report.json'), 'utf8')) as JsonReport)
    .plugins[0] as PluginFacts;
  write(
    'statement.yaml',
    stringify({
      product: { vendor: 'example', name: 'foo', version: '1.2.3' },
      plugin: { file: 'foo.so', sha256 },
      mustpass: { version: '1.0', profile: 'no-device' },
      hardware: 'none',
      driver: 'none',
      contact: 'foo@example.com',
    }),
  );
  const submitted = ['--mustpass', '1.0', '--profile', 'no-device', '--no-config', '--output', 'reports/submitted'];
  expect(command(['run', '--plugin', './foo.so', ...submitted, '--statement', 'statement.yaml'], home)).toMatchObject({
    status: 0,
    stderr: '',
  });
  expect(command(['bundle', 'reports/submitted'], home)).toMatchObject({ status: 0, stderr: '' });
  const place = join(home, 'results', 'example', 'foo', '1.2.3');
  mkdirSync(place, { recursive: true });
  copyFileSync(join(home, 'reports', 'submitted', 'bundle.zip'), join(place, 'bundle.zip'));
  copyFileSync(join(home, 'statement.yaml'), join(place, 'statement.yaml'));
  mkdirSync(join(directory, 'bin'));
  // A `deploy` target written by the user.
  for (const [name, script] of [
    ['pjrt-conformance', `exec '${process.execPath}' '${packagePath('dist', 'cli', 'main.js')}' "$@"`],
    ['deploy', 'exit 0'],
  ] as const) {
    writeFileSync(join(directory, 'bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(directory, 'bin', name), 0o755);
  }
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a line in a shell, in a copy of the directory. */
function typed(line: string): Ended {
  const copy = mkdtempSync(join(directory, 'copy-'));
  cpSync(home, copy, { recursive: true });
  // What was stopped.
  if (/ explore .*--resume/.test(line)) command(['explore', '--plugin', './foo.so', '--count', '1'], copy);
  // `init` is for a repository without a configuration; a list costs nothing.
  if (/ (?:init|list)\b/.test(line)) rmSync(join(copy, 'pjrt-conformance.yaml'));
  // All arrangements, but not all cases: tests/coexist.test.ts has those.
  const run = line.replace(/\bcoexist (?!.*--tests)/, "coexist --tests 'coexistence/company:state' ");
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${run}`], {
    cwd: copy,
    encoding: 'utf8',
    env: {
      ...quietEnvironment(),
      HOME: copy,
      // What other tests have fetched would all be tried.
      ...(line.includes('--all-found') ? { XDG_CACHE_HOME: copy, PJRT_CONFORMANCE_CACHE: '' } : {}),
      PATH: `${join(directory, 'bin')}:${process.env.PATH}`,
      // NO_COLOR applies to every command.
      FORCE_COLOR: '1',
    },
  });
  rmSync(copy, { recursive: true, force: true });
  return { status, stdout, stderr };
}

function helpOf(name: string): string {
  const { stdout } = command(name === '' ? ['--help'] : [name, '--help'], directory);
  return stdout;
}

const names = [
  '',
  ...commandLine()
    .createHelp()
    .visibleCommands(commandLine())
    .map((one) => one.name()),
];

/** XLA's plugin and StableHLO's checkout would have to be fetched; tests/oracle.test.ts and tests/corpus.test.ts have their own. */
function needsNoFetch(line: string): boolean {
  return !line.includes('xla-cpu') && !line.startsWith('git clone');
}

/** Commands for a user who has installed the package, without a pip to fetch XLA's plugin. */
const readme = ['README.md', 'docs/tasks.md', 'docs/writing-suites.md']
  .flatMap((file) => commandLines(fencesOf(readFileSync(packagePath(file), 'utf8')), 'npx pjrt-conformance'))
  .map((line) => line.slice('npx '.length))
  .filter(needsNoFetch);

test('the commands of the README, of the tasks and of a first suite work', () => {
  expect(readme.length).toBeGreaterThan(20);
  work(readme);
});

test.each(names)('the examples of pjrt-conformance %s work', (name) => {
  work(
    examplesOf(helpOf(name))
      .map(({ line }) => line)
      .filter(needsNoFetch),
  );
});

/** Lines that have worked: several helps and the README show the same. */
const worked = new Set<string>();

function work(lines: readonly string[]): void {
  // A campaign takes the time that it is given.
  for (const line of lines.map((one) =>
    one.replace('--budget 10m', '--budget 1s').replace('--count 5000', '--count 2'),
  )) {
    if (worked.has(line)) continue;
    worked.add(line);
    const { status, stdout, stderr } = typed(line);
    const all = `$ ${line}\n${stdout}${stderr}`;
    // A plugin may fail its test, but wrong usage, a missing program or an internal error fails ours.
    // The plugin has no compiler and makes no jobs, so programs and jobs prove nothing about it.
    expect(
      / (?:programs|corpus|fuzz|explore|--profile models)\b|foo\.corpus|distributed\//.test(line) ? [0, 5] : [0, 1, 3],
      all,
    ).toContain(status);
    expect(all).not.toMatch(/^(?:error|bash): /m);
    expect(all).not.toContain('\x1b');
  }
}
