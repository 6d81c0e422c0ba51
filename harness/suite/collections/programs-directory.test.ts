import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeNpy } from '../../knowledge/arrays/npy.ts';
import { fromValues } from '../../knowledge/numerics/array.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import { encodeCompileOptions } from '../../knowledge/programs/compile-options.ts';
import { loadProgram } from '../../knowledge/programs/programs.ts';
import { SuiteError } from '../problem.ts';
import { programsDirectory } from './programs-directory.ts';

const ADD = `module {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<2xbf16>) -> (tensor<2xf32>, tensor<2xbf16>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    return %0, %arg1 : tensor<2xf32>, tensor<2xbf16>
  }
}
`;
const MESH = `module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
`;
const REPLICAS = ADD.replace('module', 'module attributes {mhlo.num_replicas = 3 : i32}');
const pair = (type: string) => writeNpy(fromValues(dtype(type), [2], [1, 2]));

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'programs-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

function place(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
}

const collected = async (how: { seed?: number; oracle?: string; convert?: true } = {}) =>
  (await programsDirectory({ directory: 'p', ...how }, cwd)).flatMap(({ cases }) => cases);

async function problems(): Promise<string> {
  try {
    await collected();
  } catch (error) {
    if (error instanceof SuiteError) return error.message;
    throw error;
  }
  return 'none';
}

const verbs = ({ steps }: { steps: readonly { verb: string }[] }): string => steps.map(({ verb }) => verb).join(' ');

test('a program with inputs and outputs is compiled, fed, run, read and compared', async () => {
  place({
    'p/add.mlir': ADD,
    'p/add.arg0.npy': pair('f32'),
    'p/add.arg1.npy': pair('bf16'),
    'p/add.out0.npy': pair('f32'),
    'p/add.out1.bin': Uint8Array.from([0x80, 0x3f, 0, 0x40]),
    'p/add.yaml': 'compare: [{norm: 1e-3, source: measured}, bits]\nseed: 3\nrequires: {devices: 2}\n',
    'p/README.md': 'other files are left alone',
    'p/below/deep/id.mlir': ADD,
  });
  const [add, deep] = await collected();
  expect(add).toMatchObject({
    id: 'programs:add',
    file: 'p/add.mlir',
    requires: { dtypes: ['bf16', 'f32'], devices: 2 },
  });
  expect(verbs(add!)).toBe('compile put put execute get get expect expect');
  const expects = add!.steps.filter((step) => step.verb === 'expect');
  expect(expects.map(({ compare }) => compare)).toEqual([{ norm: 1e-3, source: 'measured' }, 'bits']);
  expect(expects[1]!.equals).toEqual({ file: { path: join(cwd, 'p/add.out1.bin'), dtype: 'bf16', shape: [2] } });
  expect(deep!.id).toBe('programs/below/deep:id');
  expect(verbs(deep!)).toBe('compile put put execute get get');
  expect(deep!.title).toMatch(/no results are known/);
});

test('without outputs an oracle is asked; inputs differ by seed', async () => {
  place({ 'p/add.mlir': ADD });
  const [open] = await collected({ oracle: 'xla-cpu', seed: 7 });
  expect(verbs(open!)).toBe('compile put put execute get get consult consult');
  const seeds = open!.steps.flatMap((step) =>
    step.verb === 'put' ? [(step.data as { hash: { seed: number } }).hash.seed] : [],
  );
  expect(seeds).toEqual([7, 8]);
});

test('partitions get the pieces of whole arrays', async () => {
  const four = (value: number) => writeNpy(fromValues(dtype('f32'), [4], [1, 2, 3, value]));
  place({ 'p/mesh.mlir': MESH, 'p/mesh.arg0.npy': four(4), 'p/mesh.out0.npy': four(5) });
  const [mesh] = await collected();
  expect(mesh).toMatchObject({ title: expect.stringContaining('runs on 2 devices'), requires: { devices: 2 } });
  expect(verbs(mesh!)).toBe('compile put execute get expect expect');
  const steps = Object.fromEntries(mesh!.steps.map((step) => [step.verb, step]));
  expect(steps.compile).toMatchObject({ options: { num_replicas: 1, num_partitions: 2, shardy: true } });
  expect(steps.put).toMatchObject({ pieces: { shape: [2], starts: [[2], [0]] } });
  expect(steps.execute).toMatchObject({ lists: [['$arg0[0]'], ['$arg0[1]']] });
  expect(steps.get).toMatchObject({ pieces: { shape: [4], whole: [4], open: { result: 0 } } });
});

test('replicas have arrays of their own, or all the same one', async () => {
  const three = writeNpy(fromValues(dtype('f32'), [3, 2], [1, 2, 3, 4, 5, 6]));
  place({ 'p/r.mlir': REPLICAS, 'p/r.arg0.npy': three, 'p/r.arg1.npy': pair('bf16') });
  const [replicas] = await collected();
  const starts = replicas!.steps.flatMap((step) => (step.verb === 'put' ? [step.pieces?.starts] : []));
  expect(starts).toEqual([
    [
      [0, 0],
      [1, 0],
      [2, 0],
    ],
    [[0], [0], [0]],
  ]);
});

test('devices have the pieces that the settings say, or all the same one', async () => {
  const program = loadProgram('sharded/two_devices');
  const input = program.inputs[0]!.shape;
  const outputs = program.outputs.map(({ shape }) => shape);
  const piece = [input[0]! / 2, ...input.slice(1)];
  const own = (inputs: readonly number[]) => `pieces: ${JSON.stringify({ inputs: [inputs], outputs })}\n`;
  const zeros = (shape: readonly number[]) => new Uint8Array(shape.reduce((bytes, size) => bytes * size, 4));
  const options = Buffer.from(encodeCompileOptions({ numPartitions: 2, propagation: true })).toString('hex');
  place({
    'p/a.mlirbc': program.artifact('1.13.0'),
    'p/a.arg0.bin': zeros(input),
    ...Object.fromEntries(outputs.map((shape, i) => [`p/a.out${i}.bin`, zeros(shape)])),
    'p/a.yaml': `${own(piece)}options: {raw: '${options}'}\n`,
  });
  const [artifact] = await collected();
  const steps = Object.fromEntries(artifact!.steps.map((step) => [step.verb, step]));
  expect(artifact!.requires).toMatchObject({ devices: 2 });
  expect(steps.compile).toMatchObject({ options: { num_partitions: 2, first_devices: true, raw: options } });
  const nowhere = input.map(() => 0);
  expect(steps.put).toMatchObject({
    pieces: {
      shape: piece,
      starts: [
        [0, ...nowhere],
        [1, ...nowhere],
      ],
    },
  });
  expect(steps.get).toMatchObject({ pieces: { whole: outputs.at(-1), open: 'unknown' } });
  // One device has whole arrays, and a piece is a part of its array.
  place({ 'p/a.yaml': own(piece) });
  await expect(collected()).resolves.toMatchObject([{ requires: { devices: 2 } }]);
  place({ 'p/a.yaml': own([9999]) });
  await expect(collected()).rejects.toThrow('pieces: inputs: 0: [9999] is no piece of [2,4]');
  place({ 'p/a.yaml': own(piece), 'p/b.mlir': MESH, 'p/b.yaml': 'pieces: {inputs: [[2]], outputs: [[4]]}' });
  await expect(collected()).rejects.toThrow('p/b.mlir: pieces: there are no files of its parameters');
  place({ 'p/b.mlir': ADD, 'p/b.yaml': 'pieces: {inputs: [[2], [2]], outputs: [[2], [2]]}' });
  await expect(collected()).rejects.toThrow('pieces: it runs on one device, which has whole arrays');
});

test('arrays of other types are converted on demand, and the title says so', async () => {
  place({ 'p/add.mlir': ADD, 'p/add.arg0.npy': pair('f64'), 'p/add.arg1.npy': pair('f32') });
  const [add] = await collected({ convert: true });
  expect(add!.title).toMatch(/; converted: arg0 from f64, arg1 from f32$/);
  place({ 'p/add.arg0.npy': writeNpy(fromValues(dtype('f64'), [2], [1, 1e300])) });
  await expect(collected({ convert: true })).rejects.toThrow(
    'cannot be converted from f64: 1e+300 at [1] does not fit f32',
  );
});

test('a single program is named by its file', async () => {
  place({ 'p/add.mlir': ADD, 'p/mul.mlir': ADD, 'p/x.npy': '' });
  const suites = await programsDirectory({ directory: 'p/mul.mlir' }, cwd);
  expect(suites.flatMap(({ cases }) => cases.map(({ id }) => id))).toEqual(['programs:mul']);
});

test('arrays that the harness could not hold leave a program unsupported', async () => {
  place({ 'p/big.mlir': ADD.replaceAll('2xf32', '4398046511104xf32') });
  const [big] = await collected();
  expect(big!.steps).toEqual([
    { verb: 'unjudged', because: expect.stringMatching(/^its arrays have \d+ bytes/), line: 1 },
  ]);
});

test('the digest of a suite is that of its programs', async () => {
  place({ 'p/add.mlir': ADD });
  const [before] = await programsDirectory({ directory: 'p' }, cwd);
  place({ 'p/add.mlir': ADD.replace('add %arg0', 'multiply %arg0') });
  const [after] = await programsDirectory({ directory: 'p' }, cwd);
  expect(before!.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(after!.sha256).not.toBe(before!.sha256);
});

test.each([
  ['no directory', {}, 'p: cannot be read: there is no such directory'],
  ['no program', { 'p/x.txt': '' }, /^p: no program found\n {4}expected: files NAME\.mlir/],
  ['a strange name', { 'p/a b.mlir': ADD }, 'p/a b.mlir: the name of a program has letters, digits and . _ + - only'],
  [
    'an unknown operation',
    { 'p/a.mlir': ADD.replace('.add', '.ad') },
    'p/a.mlir:3:20: StableHLO 1.17 has no operation ad; did you mean "add"?',
  ],
  ['no text', { 'p/a.mlir': 'hello' }, /^p\/a\.mlir:1:1: expected StableHLO text/],
  ['a damaged artifact', { 'p/a.mlirbc': 'ML\xefR' }, /^p\/a\.mlirbc/],
  [
    'a misnamed file',
    { 'p/a.mlir': ADD, 'p/b.arg0.npy': pair('f32') },
    'p/b.arg0.npy: there is no program b.mlir or b.mlirbc',
  ],
  [
    'a missing input',
    { 'p/a.mlir': ADD, 'p/a.arg0.npy': pair('f32') },
    'p/a.mlir: arg1 missing: p/a.mlir has 2 parameters',
  ],
  [
    'a surplus input',
    { 'p/a.mlir': ADD, 'p/a.arg0.npy': pair('f32'), 'p/a.arg1.npy': pair('bf16'), 'p/a.arg2.npy': pair('f32') },
    'arg2: p/a.mlir has no such parameter; it has 2',
  ],
  [
    'a wrong type',
    { 'p/a.mlir': ADD, 'p/a.arg0.npy': pair('f64'), 'p/a.arg1.npy': pair('bf16') },
    'p/a.arg0.npy: has elements of type f64, expected f32',
  ],
  ['an entry of another name', { 'p/a.mlir': ADD.replace('main', 'f') }, 'p/a.mlir: it has no function @main'],
  [
    'an array of no fixed size',
    { 'p/a.mlir': ADD.replaceAll('2xf32', '?xf32') },
    'p/a.mlir: parameter 0 is tensor<?xf32>: plugins compile arrays of fixed size',
  ],
  [
    'an operation of a foreign dialect',
    { 'p/a.mlir': ADD.replace('stablehlo.add', 'tosa.add') },
    'p/a.mlir:3:10: tosa.add is no operation of StableHLO',
  ],
  [
    'no program at all',
    { 'p/a.mlir': 'HloModule m' },
    'p/a.mlir: HLO text; expected StableHLO text or a portable artifact',
  ],
  ['an uneven cut', { 'p/a.mlir': MESH.replaceAll('4xf32', '3xf32') }, 'cuts [3] unevenly: 3 elements into 2 pieces'],
  [
    'an artifact for several partitions without its text',
    { 'p/a.mlirbc': loadProgram('sharded/two_devices').artifact('1.13.0') },
    'p/a.mlirbc: an artifact for 2 partitions: how its arrays are cut is read from text',
  ],
  [
    'a type that could be converted',
    { 'p/a.mlir': ADD, 'p/a.arg0.npy': pair('f64'), 'p/a.arg1.npy': pair('bf16') },
    'help: --convert converts it',
  ],
  [
    'a truncated archive',
    { 'p/a.mlir': ADD, 'p/a.inputs.npz': 'PK' },
    /^p\/a\.inputs\.npz: cannot be read: .*expected an archive as numpy\.savez writes it, whole$/,
  ],
  [
    'wrong settings',
    { 'p/a.mlir': ADD, 'p/a.yaml': 'compare: {upl: 3}' },
    /p\/a\.yaml:1:11: compare: unknown key "upl"/,
  ],
])('%s is one clear error', async (_, files, message) => {
  place(files);
  const text = await problems();
  if (typeof message === 'string') expect(text).toContain(message);
  else expect(text).toMatch(message);
});
