import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { bitsAt, elementCount, type HostArray } from '../numerics/array.ts';
import { decode } from '../numerics/codec.ts';
import { type RecordedTest, readRecorded, testFunctions } from './module.ts';

const fixture = (name: string): string => readFileSync(packagePath('fixtures', 'recorded', name), 'utf8');

const valuesOf = (array: HostArray): unknown[] =>
  Array.from({ length: elementCount(array.shape) }, (_, i) => decode(array.dtype, bitsAt(array, i)));

function read(text: string, choice = {}): RecordedTest {
  const test = readRecorded(text, 'a.mlir', choice);
  if ('reason' in test) throw new Error(test.reason);
  return test;
}

/** A test with one operation, and the lines around it. */
const body = (lines: string): string => `func.func @test() {\n${lines}\n  func.return\n}\n`;

/** The lines of a program without those that are blank. */
const linesOf = (program: string): string[] => program.split('\n').filter((line) => line.trim() !== '');

describe('a module whose inputs and results are functions', () => {
  const test = read(fixture('scaled_sum.mlir'));

  it('gives its inputs in the order of their results', () => {
    expect(test.inputs.map(({ dtype, shape }) => `${dtype.name}[${shape}]`)).toEqual(['f32[2,3]', 'f32[2,3]', 's32[]']);
    expect(valuesOf(test.inputs[0]!)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(valuesOf(test.inputs[1]!)).toEqual([0.5, -2, 1.25, -8, Number.POSITIVE_INFINITY, 0]);
    expect(valuesOf(test.inputs[2]!)).toEqual([3]);
  });

  it('gives a program of parameters, without data', () => {
    expect(test.program).toContain(
      'func.func public @main(%recorded_0: tensor<2x3xf32>, %recorded_1: tensor<2x3xf32>, %recorded_2: tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {',
    );
    expect(test.program).toContain('%2 = stablehlo.add %recorded_0, %recorded_1 : tensor<2x3xf32>');
    expect(test.program).toContain('return %3, %4 : tensor<2x3xf32>, tensor<2x3xi1>');
    expect(test.program).toContain('func.func private @scaled(%arg0: tensor<2x3xf32>');
    expect(test.program).not.toMatch(/check|@inputs|@expected|dense|%0#/);
  });

  it('gives what to check', () => {
    expect(
      test.checks.map(({ name, line, tolerance, output }) => ({ name, line, ulp: tolerance.ulp, output })),
    ).toEqual([
      { name: 'check.expect_close', line: 10, ulp: 3, output: 0 },
      { name: 'check.expect_eq', line: 11, ulp: 0, output: 1 },
    ]);
    expect(valuesOf(test.checks[1]!.expected as HostArray)).toEqual([1, 0, 1, 0, 1, 1]);
  });
});

describe('a file of several functions', () => {
  const text = fixture('functions.mlir');

  it('lists its tests', () => {
    expect(testFunctions(text, 'f.mlir')).toEqual([
      { name: 'wrapping_add', occurrence: 1, line: 3 },
      { name: 'sums', occurrence: 1, line: 13 },
      { name: 'shape_of_constant', occurrence: 1, line: 29 },
    ]);
  });

  it('numbers tests of the same name', () => {
    const twice = `${body('  %0 = stablehlo.constant dense<1> : tensor<i32>\n  check.expect_eq_const %0, dense<1> : tensor<i32>')}// -----\n`;
    const other = twice.replaceAll('dense<1>', 'dense<2>');
    expect(testFunctions(twice + other, 'f.mlir').map(({ occurrence }) => occurrence)).toEqual([1, 2]);
    expect(valuesOf(read(twice + other, { function: 'test', occurrence: 2 }).inputs[0]!)).toEqual([2]);
  });

  it('makes parameters of the constants of a function, and calls it main', () => {
    const test = read(text, { function: 'wrapping_add' });
    expect(linesOf(test.program).slice(-4)).toEqual([
      'func.func public @main(%recorded_0: tensor<4xi8>, %recorded_1: tensor<4xi8>) -> (tensor<4xi8>) {',
      '  %result = stablehlo.add %recorded_0, %recorded_1 : tensor<4xi8>',
      '  func.return %result : tensor<4xi8>',
      '}',
    ]);
    expect(test.checks).toMatchObject([{ operation: { name: 'add', inputs: [0, 1] } }]);
  });

  it('leaves values in regions alone, and takes those from outside', () => {
    const test = read(text, { function: 'sums' });
    expect(test.program).toContain('"stablehlo.reduce"(%recorded_0, %recorded_1) ({');
    expect(test.program).toContain('%0 = stablehlo.add %arg0, %arg1 : tensor<f32>');
    expect(test.checks[0]!.tolerance).toMatchObject({ atol: 1e-4 });
  });

  it('keeps constants that a compiler must know', () => {
    const test = read(text, { function: 'shape_of_constant' });
    expect(test.inputs).toHaveLength(1);
    expect(test.program).toContain('%shape = stablehlo.constant dense<[3, 2]> : tensor<2xi64>');
    expect(test.program).toContain('stablehlo.dynamic_reshape %recorded_0, %shape');
  });

  it('keeps constants from which a shape is computed', () => {
    const test = read(
      body(`  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %half = stablehlo.constant dense<1> : tensor<1xi64>
  %shape = stablehlo.add %half, %half : tensor<1xi64>
  %b = stablehlo.dynamic_reshape %a, %shape : (tensor<2xf32>, tensor<1xi64>) -> tensor<2xf32>
  check.expect_eq_const %b, dense<[1.0, 2.0]> : tensor<2xf32>`),
    );
    expect(test.inputs).toHaveLength(1);
    expect(test.program).toContain('%half = stablehlo.constant dense<1> : tensor<1xi64>');
  });
});

describe('tolerances', () => {
  const tolerance = (check: string): unknown =>
    read(
      body(`  %a = stablehlo.constant dense<1.0> : tensor<f32>\n  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %c = stablehlo.negate %a : tensor<f32>\n  ${check}`),
    ).checks[0]!.tolerance;

  it.each([
    ['check.expect_close %c, %b, max_ulp_difference = 7 : tensor<f32>, tensor<f32>', { ulp: 7 }],
    ['check.expect_almost_eq %c, %b : tensor<f32>', { atol: 1e-4 }],
    ['check.expect_almost_eq %c, %b, tolerance = 0.5 : tensor<f32>', { atol: 0.5 }],
    ['check.expect_almost_eq_const %c, dense<1.0> : tensor<f32> {tolerance = 0.25 : f64}', { atol: 0.25 }],
    ['stablehlo.custom_call @check.expect_almost_eq(%c, %b) : (tensor<f32>, tensor<f32>) -> ()', { atol: 1e-3 }],
    ['stablehlo.custom_call @check.expect_close(%c, %b) : (tensor<f32>, tensor<f32>) -> ()', { ulp: 3 }],
    ['%d = stablehlo.custom_call @check.eq(%c, %b) : (tensor<f32>, tensor<f32>) -> tensor<i1>', { atol: 1e-4 }],
    ['check.expect_eq %c, %b : tensor<f32>', { ulp: 0 }],
  ])('%s', (check, expected) => {
    expect(tolerance(check)).toMatchObject(expected);
  });

  it('takes the computed operand as the result, wherever it is', () => {
    const test = read(
      body(`  %a = stablehlo.constant dense<1> : tensor<i32>\n  %b = stablehlo.constant dense<-1> : tensor<i32>
  %c = stablehlo.negate %a : tensor<i32>
  %d = stablehlo.custom_call @check.eq(%b, %c) : (tensor<i32>, tensor<i32>) -> tensor<i1>`),
    );
    expect(test.program).toContain('func.return %c : tensor<i32>');
    expect(valuesOf(test.checks[0]!.expected as HostArray)).toEqual([-1]);
  });

  it('compares two outputs if both are computed', () => {
    const test = read(
      body(`  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.negate %a : tensor<i32>
  %c = stablehlo.not %a : tensor<i32>
  check.expect_eq %b, %c : tensor<i32>`),
    );
    expect(test.checks).toMatchObject([{ output: 0, expected: 1 }]);
  });
});

describe('what no plugin can run', () => {
  it.each([
    ['  %0 = stablehlo.iota dim = 0 : tensor<2xi32>', 'it checks nothing'],
    ['  %0 = "interpreter.run_parallel"() {programs = [["a"]]} : () -> tensor<i32>', /several programs/],
  ])('%s', (lines, reason) => {
    expect(readRecorded(body(lines), 'a.mlir')).toMatchObject({
      reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
    });
  });

  it('a test with arguments that the file does not give', () => {
    const text = body('  check.expect_eq_const %a, dense<1> : tensor<i32>').replace('()', '(%a: tensor<i32>)');
    expect(readRecorded(text, 'a.mlir')).toMatchObject({ reason: expect.stringContaining('takes arguments') });
  });

  it('says which tests StableHLO does not run itself', () => {
    const text = `// RUN-DISABLED(inaccurate): stablehlo-translate\n${fixture('scaled_sum.mlir')}`;
    expect(read(text).disabled).toBe('inaccurate');
  });
});

describe('what is not understood is an error with a place', () => {
  const constant = '  %0 = stablehlo.constant dense<1.0> : tensor<f32>';

  it.each([
    [body(`${constant}\n  check.expect_near %0, %0 : tensor<f32>`), 'a.mlir:3: expected one of check.expect_eq'],
    [
      body(
        `${constant}\n  check.expect_close %0, %0, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<f32>, tensor<f32>`,
      ),
      'a.mlir:3: expected one of',
    ],
    [body(`${constant}\n  check.expect_eq_const %0, dense<[1.0> : tensor<f32>`), 'a.mlir:3: expected "]", got ">"'],
    [
      body(`${constant}\n  check.expect_eq_const %0, dense<1> : tensor<f32>`),
      'a.mlir:3: the constant of type tensor<f32>: "1" is',
    ],
    [body(`${constant}\n  check.expect_eq %0 : tensor<f32>`), 'a.mlir:3: expected check.expect_eq with a result'],
    [body(`${constant}\n  ? junk`), 'a.mlir:3: expected stablehlo.constant to end, and an operation to begin, got "?"'],
    [
      body(`${constant}\n^bb1:\n  check.expect_eq_const %0, dense<1.0> : tensor<f32>`),
      'a.mlir:3: expected a body of one block',
    ],
    ['func.func @test() {', 'a.mlir:1: "{" is not closed'],
    ['func.func @test() { "a', 'a.mlir:1: a string that does not end'],
    ['module {}', 'a.mlir:1: it has no function with a body'],
    [
      fixture('scaled_sum.mlir').replace('    %c = stablehlo.constant dense<3>', '    %c = stablehlo.iota dim = 0'),
      'a.mlir:17: expected a constant in @inputs',
    ],
    [fixture('scaled_sum.mlir').replace('%0:3 = call', '%0:2 = call'), 'a.mlir:5: expected 3 results, got 2'],
  ])('%#', (text, message) => {
    expect(() => readRecorded(text, 'a.mlir')).toThrow(message);
  });

  it('names the tests that there are', () => {
    expect(() => readRecorded(fixture('functions.mlir'), 'f.mlir', { function: 'sum' })).toThrow(
      'f.mlir:1: expected a test sum; it has wrapping_add, sums, shape_of_constant',
    );
  });
});
