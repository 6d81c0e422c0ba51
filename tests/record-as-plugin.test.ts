import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { encodeCompileOptions } from '../harness/knowledge/programs/compile-options.ts';
import { GENERATED } from '../tools/reference/generated-sources.ts';
import { compile, findCompiler } from './support/c-compiler.ts';
import { command } from './support/command.ts';
import { installerAvailable } from './support/installer.ts';
import { pythonWithJax } from './support/jax.ts';
import { referenceLibrary } from './support/reference.ts';

/** `record --as-plugin`: a plugin file that records, without LD_PRELOAD. */

const PROGRAM = `module @twice {
  func.func public @main(%arg0: tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<1024xf32>
    return %0 : tensor<1024xf32>
  }
}
`;

let directory: string;
let plugin: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-as-plugin-'));
  plugin = await referenceLibrary();
  writeFileSync(join(directory, 'program.mlir'), PROGRAM);
  writeFileSync(join(directory, 'options'), encodeCompileOptions());
  const source = packagePath('tests', 'record', 'caller.c');
  await compile(['-O1', `-I${GENERATED}`, source, '-ldl', '-o', join(directory, 'caller')], await findCompiler());
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const run = (...args: string[]) => command(args, directory);
const call = (library: string) =>
  spawnSync(join(directory, 'caller'), [library, 'program.mlir', 'options', '5'], { cwd: directory, encoding: 'utf8' });

/** The functions that were called, in order. */
const functionsOf = (trace: string): string[] =>
  run('trace', 'calls', trace)
    .stdout.trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; function: string })
    .flatMap(({ event, function: name }) => (event === 'enter' ? [name] : []));

test('it records what the library in LD_PRELOAD records, and the caller sees the same', () => {
  const made = run('record', '--as-plugin', 'made/recorded.so', '--plugin', plugin, '-o', 'trace', '--keep', 'hashes');
  expect([made.status, made.stderr]).toEqual([0, '']);
  expect(made.stdout).toContain(`PJRT_NAMES_AND_LIBRARY_PATHS=`);
  const { status, stdout, stderr } = call(join(directory, 'made', 'recorded.so'));
  expect([status, stdout]).toEqual([0, call(plugin).stdout]);
  expect(stderr).toContain(`${plugin}, PJRT C API 0.`);
  expect(
    run('record', '-o', 'preloaded', '--', join(directory, 'caller'), plugin, 'program.mlir', 'options', '5').status,
  ).toBe(0);
  expect(functionsOf('trace')).toEqual(functionsOf('preloaded'));
  const shown = run('trace', 'show', 'trace');
  expect(shown.stdout).toContain('ended: the process ended');
  expect(shown.stdout).toContain('with hashes of host data');
  expect(run('trace', 'check', 'trace').status).toBe(0);
});

test('a second process has a part of its own, and the file can be made again for another trace', () => {
  const file = join(directory, 'again.so');
  for (const trace of ['first', 'second']) {
    expect(run('record', '--as-plugin', 'again.so', '--plugin', plugin, '-o', trace).status).toBe(0);
    expect([call(file).status, call(file).status]).toEqual([0, 0]);
    expect(run('trace', 'show', trace).stdout.match(/^pid-/gm)).toHaveLength(2);
  }
});

describe('what cannot be made is one error', () => {
  test.each<[string, string[], string]>([
    ['no plugin', ['--as-plugin', 'a.so'], '--as-plugin needs the plugin that is to be recorded'],
    ['a program too', ['--as-plugin', 'a.so', '--plugin', 'p.so', '--', './caller'], '--as-plugin starts no program'],
    ['a file that is something else', ['--as-plugin', 'options', '--plugin', 'PLUGIN'], 'exists; name a file'],
    ['a file that cannot be made', ['--as-plugin', '/proc/a.so', '--plugin', 'PLUGIN'], '--as-plugin /proc/a.so: '],
    ['a plugin without its purpose', ['--plugin', 'p.so', '--', './caller'], '--plugin goes with --as-plugin'],
    ['nothing at all', [], 'record needs a program to start'],
  ])('%s', (_, args, message) => {
    const given = args.map((one) => (one === 'PLUGIN' ? plugin : one));
    const { status, stderr } = run('record', '-o', 'unmade', ...given);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(run('trace', 'show', 'unmade').status).not.toBe(0);
  });
});

test('without its settings, or its plugin, it gives no table and says why', () => {
  run('record', '--as-plugin', 'lost.so', '--plugin', plugin, '-o', 'lost');
  copyFileSync(join(directory, 'lost.so'), join(directory, 'alone.so'));
  const seen = run('doctor', './alone.so');
  expect(`${seen.stdout}${seen.stderr}`).toContain('alone.so.record is not there');
  writeFileSync(join(directory, 'lost.so.record'), 'PJRT_CONFORMANCE_RECORD_PLUGIN=/no/such/plugin.so\n');
  const gone = run('doctor', './lost.so');
  expect(`${gone.stdout}${gone.stderr}`).toContain('/no/such/plugin.so: cannot open shared object file');
});

const fetchable = installerAvailable();

test.skipIf(!fetchable)(
  fetchable ? 'JAX loads it as it is printed' : 'JAX (skipped: neither pip nor uv is here)',
  () => {
    const made = run('record', '--as-plugin', 'jax.so', '--plugin', plugin, '-o', 'jax');
    const [, names, platforms] = /(PJRT_NAMES_AND_LIBRARY_PATHS)=(\S+) JAX_PLATFORMS=(\S+)/.exec(made.stdout)!.slice(1);
    const script = packagePath('tests', 'record', 'train.py');
    const training = (env: NodeJS.ProcessEnv) =>
      spawnSync(pythonWithJax(), [script], { encoding: 'utf8', env: { ...process.env, ...env } });
    const recorded = training({ PJRT_NAMES_AND_LIBRARY_PATHS: names, JAX_PLATFORMS: platforms });
    expect(recorded.status, recorded.stderr).toBe(0);
    const plain = training({ PJRT_NAMES_AND_LIBRARY_PATHS: `ref:${plugin}`, JAX_PLATFORMS: 'ref' });
    expect(recorded.stdout).toBe(plain.stdout);
    expect(run('trace', 'check', 'jax').status).toBe(0);
    expect(run('replay', 'jax', '--plugin', plugin, '--output', 'out').stdout).toContain('passes (profile trace)');
  },
);
