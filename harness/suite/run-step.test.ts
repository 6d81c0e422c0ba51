import { expect, test } from 'vitest';
import { readSample, sampleCase } from './sample-suite.test-helper.ts';

const stepsOf = (steps: string) => {
  const { cases, errors } = readSample(sampleCase(`steps:\n${steps}`));
  expect(errors).toBe('');
  return cases[0]!.steps;
};
const errorsOf = (steps: string): string => readSample(sampleCase(`steps:\n${steps}`)).errors;

test('run stands for data, put, compile, execute, get and expect, each with the line of its part', () => {
  const steps = stepsOf(`  - run: elementwise/add_f32_4
    with:
      a: {iota: {dtype: f32, shape: [4]}}
      b: {fill: {dtype: f32, shape: [4], value: 1}}
    gives: {sum: {oracle: {op: add, of: [$a, $a]}}}
    compare: {zero: unsigned}
    level: should
    refusable: sums
    breaks: [BUF-HOST-002]`);
  const breaks = ['BUF-HOST-002'];
  expect(steps).toEqual([
    { verb: 'data', as: 'a', data: { iota: { dtype: 'f32', shape: [4] } }, line: 10, breaks },
    { verb: 'put', as: 'a_buffer', data: '$a', line: 10, breaks },
    // Nothing refers to $b.
    { verb: 'put', as: 'b_buffer', data: { fill: { dtype: 'f32', shape: [4], value: 1 } }, line: 11, breaks },
    { verb: 'compile', as: 'executable', program: 'elementwise/add_f32_4', refusable: 'sums', line: 8, breaks },
    {
      verb: 'execute',
      executable: '$executable',
      args: ['$a_buffer', '$b_buffer'],
      as: ['sum_buffer'],
      line: 8,
      breaks,
    },
    { verb: 'get', buffer: '$sum_buffer', as: 'sum', line: 12, breaks },
    {
      verb: 'expect',
      actual: '$sum',
      equals: { oracle: { op: 'add', of: ['$a', '$a'] } },
      compare: { zero: 'unsigned' },
      level: 'should',
      line: 12,
      breaks,
    },
  ]);
});

test('arguments may be the inputs of the program, or a list', () => {
  expect(stepsOf('  - run: elementwise/add_f32_4\n    with: inputs')).toMatchObject([
    { verb: 'program', name: 'elementwise/add_f32_4', as: { inputs: 'inputs' } },
    { verb: 'put', as: 'inputs_buffer', data: '$inputs' },
    { verb: 'compile' },
    { verb: 'execute', args: '$inputs_buffer' },
  ]);
  const listed =
    '  - program: elementwise/add_f32_4\n    as: {all: inputs}\n  - run: elementwise/add_f32_4\n    with: $all';
  expect(stepsOf(listed).map(({ verb }) => verb)).toEqual(['program', 'put', 'compile', 'execute']);
});

test('later steps use its names, and a result that is null is only read', () => {
  const steps = stepsOf(`  - run: elementwise/add_f32_4
    as: f
    with: {a: {iota: {dtype: f32, shape: [4]}}}
    gives: {sum: null}
    refusable: sums
    lazy: true
  - execute: {executable: $f, args: [$a_buffer]}
  - await: {buffer: $sum_buffer}
  - expect: {actual: $sum, not: 1}`);
  expect(steps.map(({ verb }) => verb)).toEqual(['put', 'compile', 'execute', 'get', 'execute', 'await', 'expect']);
  expect(steps[2]).toMatchObject({ refusable: 'sums' });
});

test('what is wrong with it', () => {
  expect(
    errorsOf(`  - run: elementwise/add_f32
    with: {a: {iota: {dtype: f33, shape: [4]}}, b: {oracle: {op: adds, of: [$c]}}, c: {values: {dtype: f32, shape: [2], of: [1]}}}
    gives: {a: $a}
    comparison: bits
  - run: elementwise/add_f32_4`),
  ).toMatchInlineSnapshot(`
    "suites/sample.yaml:9:34: cases[0].steps[0].with.a.iota.dtype: unknown value
        expected: one of pred, s1, s2, s4, s8, s16, s32, s64, u1, u2, u4, u8, u16, u32, u64, f16, bf16, f32, f64, c64, c128, f8e5m2, f8e4m3, f8e3m4, f8e4m3fn, f8e4m3b11fnuz, f8e5m2fnuz, f8e4m3fnuz, f8e8m0fnu, f4e2m1fn, f6e2m3fn, f6e3m2fn, token
        got: "f33"
        help: did you mean "f32"?
    suites/sample.yaml:9:81: cases[0].steps[0].with.b.oracle.of[0]: unknown reference $c
        expected: a matrix parameter, a name bound by an earlier step, or a runner binding
        got: bound here: $a, $a_buffer, $plugin, $plugins, $client, $clients, $device, $devices, $all_devices, $descriptions, $memory, $memories, $topology, $expected_platform
        help: did you mean "$a"?
    suites/sample.yaml:10:20: cases[0].steps[0].gives.a: $a is already bound in line 9
        help: choose another name
    suites/sample.yaml:10:20: cases[0].steps[0].gives.a: $a_buffer is already bound in line 9
        help: choose another name
    suites/sample.yaml:11:9: cases[0].steps[0]: unknown key "comparison"
        expected: one of run, as, with, gives, compare, level, options, refusable, lazy, breaks
    suites/sample.yaml:12:14: cases[0].steps[1].run: $executable is already bound in line 8
        help: choose another name"
  `);
  expect(
    errorsOf(
      '  - run: elementwise/add_f32\n    with: {a: {values: {dtype: f32, shape: [2], of: [1]}}}\n    gives: {b: {oracle: {op: adds, of: [$a]}}}',
    ),
  ).toMatchInlineSnapshot(`
    "suites/sample.yaml:8:14: cases[0].steps[0].run: unknown program "elementwise/add_f32"
        expected: one of elementwise/add_f32_4, elementwise/add_f64_4
        help: did you mean "elementwise/add_f32_4"?
    suites/sample.yaml:9:57: cases[0].steps[0].with.a.values.of: number of elements does not match the shape
        expected: 2 for shape [2]
        got: 1
    suites/sample.yaml:10:34: cases[0].steps[0].gives.b.oracle.op: unknown oracle "adds"
        expected: one of add, transpose
        help: did you mean "add"?"
  `);
});
