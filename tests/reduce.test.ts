import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { Reduced } from '../harness/commands/reduce/reduce.ts';
import { buildFaults } from '../tools/mutation/library.ts';
import { pythonWithJax } from './support/jax.ts';
import { referenceLibrary } from './support/reference.ts';

/** `reduce`: what faults in the reference plugin make go wrong in larger programs, down to a few operations. */

const MODEL = `module @jit_model attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<4x8xf32> {jax.buffer_donor = true}, %k: tensor<3xi32>)
      -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<3xi32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = func.call @square(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %sum = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %first = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %times = stablehlo.constant dense<3> : tensor<i32>
    %loop:2 = stablehlo.while(%i = %first, %y = %0) : tensor<i32>, tensor<4x8xf32>
      cond {
        %more = stablehlo.compare LT, %i, %times : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %next = stablehlo.add %i, %one : tensor<i32>
        %less = stablehlo.tanh %y : tensor<4x8xf32>
        %abs = stablehlo.abs %less : tensor<4x8xf32>
        stablehlo.return %next, %abs : tensor<i32>, tensor<4x8xf32>
      }
    %ratio = stablehlo.divide %0, %0 : tensor<4x8xf32>
    %more = stablehlo.subtract %loop#1, %ratio : tensor<4x8xf32>
    %twice = stablehlo.add %k, %k : tensor<3xi32>
    return %more, %ratio, %sum, %twice : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<3xi32>
  }
  func.func private @square(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.multiply %a, %a : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
`;

let directory: string;
let reference: string;
let faults: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-reduce-test-'));
  mkdirSync(join(directory, 'cases'));
  writeFileSync(join(directory, 'cases', 'model.mlir'), MODEL);
  const ones = Float32Array.from({ length: 32 }, (_, i) => 1 + i / 32);
  writeFileSync(join(directory, 'cases', 'model.arg0.bin'), new Uint8Array(ones.buffer));
  writeFileSync(join(directory, 'cases', 'model.arg1.bin'), new Uint8Array(12));
  reference = await referenceLibrary();
  faults = await buildFaults();
}, 900_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

function command(args: readonly string[], env: Record<string, string> = {}): Ended {
  return spawnSync(process.execPath, [packagePath('dist', 'cli', 'main.js'), ...args], {
    cwd: directory,
    encoding: 'utf8',
    env: { ...process.env, PJRT_CONFORMANCE_PYTHON: pythonWithJax(), ...env },
  });
}

const planted = (fault: string): Record<string, string> => ({ PJRT_FAULTS_BASE: reference, PJRT_FAULT: fault });

const PROGRESS =
  /^running the programs …\n(?:(?:leaving out operations|making arrays smaller|making data plainer) …\n)+$/;

function reduced(fault: string, place: string): Reduced & { output: string } {
  const output = join(directory, fault);
  const on = ['--plugin', faults, '--oracle', reference];
  const ended = command(['reduce', place, ...on, '-o', output, '--format', 'json'], planted(fault));
  expect([ended.stderr, ended.status]).toEqual([expect.stringMatching(PROGRESS), 0]);
  return { ...(JSON.parse(ended.stdout) as Reduced), output };
}

const run = (output: string, plugin: string, fault: string): Ended =>
  command(['programs', output, '--plugin', plugin, '--output', join(directory, 'run'), '--quiet'], planted(fault));

const FAULTS: [fault: string, operations: string[], size: number, says: RegExp][] = [
  // An operation alone, one inside of a loop, two results that are exchanged, and a process that dies of three operations.
  ['numerics-tail-of-reduce', ['reduce'], 2, /elements? differs?/],
  ['numerics-tail-of-abs', ['abs'], 1, /elements? differs?/],
  ['numerics-outputs-swapped', ['constant', 'constant'], 2, /elements? differs?/],
  ['numerics-division-by-zero-traps', ['add', 'divide', 'multiply'], 3, /SIGFPE/],
];

test.each(FAULTS)('%s ends in a few operations, which fail in the same way', { timeout: 300_000 }, (...row) => {
  const [fault, operations, size, says] = row;
  const { smallest, output } = reduced(fault, 'cases');
  expect(smallest?.operations.map((name) => name.replace('stablehlo.', '')).sort()).toEqual(operations);
  expect(smallest).toMatchObject({ program: 'model', before: { operations: 15 }, after: { operations: size } });
  expect(smallest!.message).toMatch(says);
  expect(smallest!.message).not.toContain(tmpdir());
  expect([run(output, faults, fault).status, run(output, reference, fault).status]).toEqual([1, 0]);
});

test('an artifact stays one, with its text beside it', { timeout: 300_000 }, () => {
  const fault = 'numerics-outputs-are-zeros';
  const program = packagePath('examples', 'programs', 'word_count.mlirbc');
  const { smallest, output } = reduced(fault, program);
  expect(smallest?.after.operations).toBe(1);
  expect(readdirSync(output).filter((name) => name.includes('mlir'))).toEqual(['word_count.mlir', 'word_count.mlirbc']);
  expect(readFileSync(join(output, 'word_count.mlir'), 'utf8')).toContain('stablehlo.');
  const { status } = run(output, faults, fault);
  expect([status, run(output, reference, fault).status]).toEqual([1, 0]);
  const repro = join(directory, 'repro');
  const exported = ['export', 'programs:word_count', '--programs', output, '--plugin', faults, '-o', repro];
  expect(command(exported, planted(fault))).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(join(repro, 'repro.c'), 'utf8')).toContain('PJRT_Client_Compile');
});

test('says that nothing fails, what it needs, and what it does not replace', { timeout: 300_000 }, () => {
  const on = ['--plugin', reference, '--oracle', reference];
  const right = command(['reduce', 'cases', ...on, '-o', 'none']);
  expect([right.status, right.stdout]).toEqual([1, expect.stringContaining('nothing to reduce')]);
  const lacking = command(['reduce', 'cases', ...on, '-o', 'none'], { PJRT_CONFORMANCE_PYTHON: '/nowhere/python' });
  expect([lacking.status, lacking.stderr]).toEqual([2, expect.stringContaining('PJRT_CONFORMANCE_PYTHON')]);
  const taken = command(['reduce', 'cases', ...on, '-o', 'cases']);
  expect([taken.status, taken.stderr]).toEqual([2, expect.stringContaining('exists and is not empty')]);
});
