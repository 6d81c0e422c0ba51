import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { readArrayFile } from '../harness/knowledge/arrays/array-file.ts';
import { writeNpy } from '../harness/knowledge/arrays/npy.ts';
import { build, type HostArray } from '../harness/knowledge/numerics/array.ts';
import { encode } from '../harness/knowledge/numerics/codec.ts';
import { dtype } from '../harness/knowledge/numerics/dtypes.ts';
import { type Signature, signatureOf } from '../harness/knowledge/programs/signature.ts';
import { stampVersion } from '../harness/knowledge/programs/stablehlo-version.ts';
import { loadDesign } from '../tools/designs/design.ts';
import { buildDesigns, manifestOf, writeManifest } from '../tools/designs/plugin.ts';
import { resolveHere } from '../tools/resolve-here.ts';
import { type CliRun, cli } from './support/cli.ts';
import { pythonWithJax } from './support/jax.ts';

// The snippet of docs/own-programs.md dumps programs from JAX, which the reference plugin then runs.

const directory = mkdtempSync(join(tmpdir(), 'pjrt-own-'));
const examples = join(directory, 'examples');
const cases = join(directory, 'cases');
let designs: string;

beforeAll(async () => {
  run(packagePath('examples', 'programs', 'make.py'), examples);
  run(packagePath('tests', 'jax', 'dump_cases.py'), cases);
  const base = { name: 'reference' as const, plugin: await resolveHere('reference') };
  designs = writeManifest(directory, manifestOf(loadDesign('artifacts-only'), base, await buildDesigns()));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function run(script: string, into: string): void {
  const { status, stderr } = spawnSync(pythonWithJax(), ['-B', script, into], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, JAX_PLATFORMS: 'cpu' },
  });
  if (status !== 0) throw new Error(`${script} ended with ${status}:\n${stderr.slice(-4000)}`);
}

const signature = (path: string): Signature => signatureOf(readFileSync(path), path);
const spelled = (values: Signature['inputs']): string[] => values.map(({ dtype, shape }) => `${dtype}[${shape}]`);
const results = ({ events }: CliRun): Record<string, string> =>
  Object.fromEntries(events.flatMap((e) => (e.type === 'case' ? [[e.id, e.result.status]] : [])));

test('the examples are what their script writes', () => {
  const committed = packagePath('examples', 'programs');
  const files = readdirSync(examples).sort();
  expect(
    readdirSync(committed)
      .filter((file) => !file.endsWith('.py'))
      .sort(),
  ).toEqual(files);
  for (const file of files.filter((name) => /\.mlir(bc)?$/.test(name))) {
    expect([file, readFileSync(join(examples, file))]).toEqual([file, readFileSync(join(committed, file))]);
  }
});

/** Inputs and outputs of the programs of tests/jax/dump_cases.py. */
const DUMPED: [name: string, inputs: string[], outputs: string[]][] = [
  ['tree', ['f32[2,3]', 'f32[2,3]', 'f32[2,3]', 'f32[3]'], ['f32[2,3]', 'f32[3]', 'f32[2,3]']],
  ['static', ['f32[2,3]'], ['f32[2,3]']],
  ['static_first', ['f32[2,3]'], ['f32[3]']],
  ['donated', ['f32[2,3]', 'f32[2,3]'], ['f32[2,3]', 'f32[2,3]']],
  ['unused', ['f32[2,3]', 'f32[3]', 'f32[2]'], ['f32[3]']],
  ['no_inputs', [], ['s32[4]']],
  ['no_results', ['f32[2,3]'], []],
  ['scalars', ['f32[]', 's32[]', 'pred[]'], ['f32[]', 'f32[]']],
  ['weak', ['bf16[2,3]', 'f32[]'], ['bf16[2,3]']],
  ['key', ['u32[2]'], ['f32[5]']],
  ['key_out', ['u32[2]'], ['u32[2,2]']],
  ['old_key', ['u32[2]'], ['u32[5]']],
  ['bf16', ['bf16[2,3]'], ['bf16[2,2]']],
  ['fp8', ['f8e4m3fn[2,3]'], ['f8e5m2[2,3]']],
  ['s4', ['s4[2,3]'], ['s4[2,3]']],
  ['complex', ['c64[2,3]'], ['c64[2,3]']],
  ['fortran', ['s16[2,3]'], ['s16[2,3]']],
  ['constant', ['f32[]'], ['f32[70000]']],
  ['wide', ['f32[3]'], ['f32[3]']],
  ['artifact_only', ['f32[2,3]'], ['f32[2,3]']],
  ['text_only', ['f32[2,3]'], ['f32[2,3]']],
  ['version', ['f32[2,3]'], ['f32[2,3]']],
  ['nested', ['f32[2,3]'], ['f32[2,3]']],
  ['grad', ['f32[2,3]'], ['f32[2,3]']],
  ['empty', ['f32[0,3]'], ['f32[0,3]']],
  ['ml_dtypes', ['f8e5m2[4]'], ['f8e5m2[4]']],
  ['x64', ['f64[3]', 's64[]'], ['f64[3]', 's64[]']],
  ['x64_weak', ['s64[]'], ['f64[]']],
  ['linalg', ['f32[3,3]'], ['f32[3,3]']],
];

test.each(DUMPED)(
  '%s has its parameters and results, as text, as artifact and as arrays',
  async (name, inputs, outputs) => {
    const forms = readdirSync(cases).filter((file) => file === `${name}.mlir` || file === `${name}.mlirbc`);
    expect(forms).toHaveLength(/_only$|^version$/.test(name) ? 1 : 2);
    for (const form of forms) {
      const read = signature(join(cases, form));
      expect([form, spelled(read.inputs), spelled(read.outputs)]).toEqual([form, inputs, outputs]);
      if (form.endsWith('bc')) expect(read.version).toBe(name === 'version' ? '0.9.0' : '1.0.0');
      for (const [side, prefix, values] of [
        ['inputs', 'arg', read.inputs],
        ['outputs', 'out', read.outputs],
      ] as const) {
        for (const [i, { dtype, shape }] of values.entries()) {
          const path = join(cases, `${name}.${side}.npz`);
          const array = await readArrayFile({ path, array: `${prefix}${i}`, dtype, shape });
          expect(array.shape).toEqual([...shape]);
        }
      }
    }
  },
);

test('text and artifact need the same', () => {
  const files = readdirSync(cases);
  for (const [name] of DUMPED.filter(([program]) => files.includes(`${program}.mlir`))) {
    if (!files.includes(`${name}.mlirbc`)) continue;
    const { version: _, ops, ...artifact } = signature(join(cases, `${name}.mlirbc`));
    const { ops: all, dtypes, shardings: __, ...text } = signature(join(cases, `${name}.mlir`));
    // Serialization removes operations that no result depends on.
    expect([name, all]).toEqual([name, expect.arrayContaining([...ops])]);
    expect([name, dtypes]).toEqual([name, expect.arrayContaining([...artifact.dtypes])]);
    expect([name, { ...artifact, dtypes }]).toEqual([name, { ...text, dtypes }]);
  }
});

test('the reference plugin computes what JAX did', async () => {
  const seen = results(await cli(['programs', cases, '--plugin', 'reference', '--output', 'out']));
  const { 'programs:linalg': linalg, ...others } = seen;
  expect(linalg).toBe('unsupported'); // A custom call of XLA's CPU backend.
  expect(Object.keys(others)).toHaveLength(DUMPED.length - 1);
  expect([...new Set(Object.values(others))]).toEqual(['pass']);
});

test('a custom call that nobody has registered makes a program unsupported', async () => {
  const { events, exitCode } = await cli([
    ...['programs', cases, '--plugin', 'xla-cpu', '--tests', 'programs:linalg', '--output', 'out'],
  ]);
  expect(events.flatMap((e) => (e.type === 'case' ? [e.result] : []))).toMatchObject([
    {
      status: 'unsupported',
      reason: expect.stringMatching(
        /^the plugin refuses a program with a custom call: PJRT_Client_Compile returns NOT_F/,
      ),
    },
  ]);
  expect(exitCode).toBe(5);
});

test('an artifact that is too new for the plugin is sent as the text beside it', async () => {
  const into = join(directory, 'newer');
  cpSync(packagePath('examples', 'programs'), into, { recursive: true });
  for (const name of readdirSync(into).filter((file) => file.endsWith('.mlirbc'))) {
    writeFileSync(join(into, name), stampVersion(readFileSync(join(into, name)), '1.999.0'));
  }
  const seen = await cli(['programs', into, '--plugin', 'reference', '--output', 'out']);
  expect(results(seen)).toEqual({
    'programs:attention_bf16': 'pass',
    'programs:layer_norm': 'pass',
    'programs:word_count': 'unsupported',
  });
  const reasons = seen.events.flatMap((e) => (e.type === 'case' ? (e.result.reason ?? []) : []));
  expect(reasons).toEqual([expect.stringContaining('with its text beside it, NAME.mlir, that would be sent')]);
});

describe('a plugin that reads artifacts only', () => {
  const on = (python: string): Promise<CliRun> =>
    cli(['programs', examples, '--plugin', designs, '--output', 'out'], {
      env: { PJRT_CONFORMANCE_PYTHON: python, PJRT_CONFORMANCE_CACHE: join(directory, 'cache') },
    });

  test('gets an artifact of a text, from the jaxlib of a Python', async () => {
    expect(results(await on(pythonWithJax()))).toEqual({
      'programs:attention_bf16': 'pass',
      'programs:layer_norm': 'pass',
      'programs:word_count': 'pass',
    });
  });

  test('cannot run a text without a Python', async () => {
    const seen = await on(join(directory, 'none'));
    // What the first test has made is in the cache, which the version of jaxlib is part of the key of.
    expect(results(seen)).toMatchObject({ 'programs:layer_norm': 'unsupported', 'programs:word_count': 'pass' });
    const reasons = seen.events.flatMap((e) => (e.type === 'case' ? (e.result.reason ?? []) : []));
    expect(reasons).toEqual([
      expect.stringMatching(/reads no StableHLO text: .*; to send it as an artifact: needs Python/),
    ]);
  });
});

/** A directory of programs by name, and of arrays. */
function place(
  name: string,
  programs: Readonly<Record<string, string>>,
  arrays: Readonly<Record<string, HostArray>> = {},
) {
  const into = join(directory, name);
  mkdirSync(into);
  for (const [program, text] of Object.entries(programs)) writeFileSync(join(into, `${program}.mlir`), text);
  for (const [array, content] of Object.entries(arrays)) writeFileSync(join(into, `${array}.npy`), writeNpy(content));
  return into;
}

const numbersOf = (type: string, shape: number[], of: (at: number) => number): HostArray =>
  build(dtype(type), shape, (at) => encode(dtype(type), of(at)));

/** The product of two matrices over a 2 x 2 mesh. */
const product = (mesh: string, left: string, right: string, result: string): string => `
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  ${mesh}
  func.func public @main(%arg0: tensor<4x2xf32> {${left}}, %arg1: tensor<2x6xf32> {${right}}) -> (tensor<4x6xf32> {${result}}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
}`;
const shardy = (dimensions: string): string => `sdy.sharding = #sdy.sharding<@mesh, [${dimensions}]>`;
const gspmd = (sharding: string): string => `mhlo.sharding = "{${sharding}}"`;

/** Row i is i and 1, column j is 1 and j: their product is i + j. */
const matrices = (name: string): Record<string, HostArray> => ({
  [`${name}.arg0`]: numbersOf('f32', [4, 2], (at) => (at % 2 === 0 ? at / 2 : 1)),
  [`${name}.arg1`]: numbersOf('f32', [2, 6], (at) => (at < 6 ? 1 : at - 6)),
  [`${name}.out0`]: numbersOf('f32', [4, 6], (at) => Math.floor(at / 6) + (at % 6)),
});

const ON_DEVICES = {
  shardy: product(
    'sdy.mesh @mesh = <["x"=2, "y"=2]>',
    shardy('{"x"}, {}'),
    shardy('{}, {"y"}'),
    shardy('{"x"}, {"y"}'),
  ),
  turned: product(
    'sdy.mesh @spare = <["a"=4]>\n  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 1, 0, 2]>',
    shardy('{"y"}, {}'),
    shardy('{}, {"x"}'),
    'jax.result_info = "result"',
  ),
  gspmd: product(
    '',
    gspmd('devices=[2,1,2]<=[4] last_tile_dim_replicate'),
    gspmd('devices=[1,2,2]0,2,1,3 last_tile_dim_replicate'),
    gspmd('devices=[2,2]<=[2,2]T(1,0)'),
  ),
};

const SUM = `
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func public @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}`;

test.each(['reference', 'xla-cpu'])(
  'programs of a mesh and of replicas run on several devices of %s',
  async (plugin) => {
    const into = place(
      `devices-${plugin}`,
      { ...ON_DEVICES, sum: SUM, alone: SUM },
      {
        ...Object.assign({}, ...Object.keys(ON_DEVICES).map(matrices)),
        'sum.arg0': numbersOf('f32', [2, 2], (at) => at + 1),
        'sum.out0': numbersOf('f32', [2], (at) => 4 + 2 * at),
      },
    );
    const seen = await cli(['programs', into, '--plugin', plugin, '--output', 'out']);
    expect(results(seen)).toEqual({
      'programs:alone': 'pass',
      'programs:gspmd': 'pass',
      'programs:shardy': 'pass',
      'programs:sum': 'pass',
      'programs:turned': 'pass',
    });
    expect(seen.stdout).toContain('5 of 5 cases passed, 4 compared, 1 had nothing to compare with');
  },
);

test('a program for more devices than there are is unsupported', async () => {
  const into = place('many', { many: SUM.replace('2 : i32', '64 : i32') });
  const run = ['programs', into, '--plugin', 'reference', '--output', 'out'];
  const seen = await cli([...run, '--option', 'num_devices=4']);
  expect(results(seen)).toEqual({ 'programs:many': 'unsupported' });
  expect(seen.stdout).toContain('needs 64 addressable devices; the client has 4');
});

test('f64 of NumPy is offered to be converted; what needs too much is no violation', async () => {
  const into = place(
    'limits',
    {
      add: 'func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }',
      large: `func.func @main(%a: tensor<f32>) -> tensor<1xf32> {
      %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<4398046511104xf32>
      %1 = stablehlo.sine %0 : tensor<4398046511104xf32>
      %2 = stablehlo.slice %1 [7:8] : (tensor<4398046511104xf32>) -> tensor<1xf32>
      return %2 : tensor<1xf32>
    }`,
    },
    { 'add.arg0': numbersOf('f64', [2], (at) => at / 10) },
  );
  const args = ['programs', into, '--plugin', 'reference', '--output', 'out'];
  const refused = await cli(args);
  expect(refused).toMatchObject({ exitCode: 2, events: [] });
  expect(refused.stderr).toContain('help: --convert converts it');
  const seen = await cli([...args, '--convert']);
  expect(results(seen)).toEqual({ 'programs:add': 'pass', 'programs:large': 'unsupported' });
  expect(seen.stdout).toContain('RESOURCE_EXHAUSTED');
});

test('a probe can use a program beside its suite', async () => {
  const into = place('probe', {
    add: 'func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }',
  });
  writeFileSync(
    join(into, 'own.yaml'),
    `suite: own
description: Probes on a program of one's own.
cases:
  - id: optimized
    description: The optimized program can be read.
    covers: [EXE-OPP-001]
    steps:
      - probe: optimized-program
        with: {program: ./add.mlir}
`,
  );
  const seen = await cli(['run', '--plugin', 'reference', '--suites', into, '--suite', 'own', '--output', 'out']);
  expect(results(seen)).toEqual({ 'own:optimized': 'pass' });
});

/** PyTorch/XLA is too large to install for a test. */
const torchPython = process.env.PJRT_CONFORMANCE_PYTHON;
const hasTorchXla =
  torchPython !== undefined &&
  spawnSync(torchPython, ['-c', 'import importlib.util as u; assert u.find_spec("torch_xla")']).status === 0;

test.skipIf(!hasTorchXla)('PyTorch (skipped unless $PJRT_CONFORMANCE_PYTHON has torch_xla)', async () => {
  const into = join(directory, 'torch');
  const { status, stderr } = spawnSync(torchPython!, ['-B', packagePath('tests', 'torch', 'dump_cases.py'), into], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PJRT_DEVICE: 'CPU' },
  });
  expect([status, stderr]).toEqual([0, expect.anything()]);
  expect(results(await cli(['programs', into, '--plugin', 'reference', '--output', 'out']))).toEqual({
    'programs:torch_bf16': 'pass',
    'programs:torch_integers': 'pass',
    'programs:torch_model': 'pass',
  });
});
