import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { foldRun } from '../harness/model/run.ts';
import { readEvents } from '../harness/report/index.ts';
import { inProcess } from './support/in-process.ts';
import { referenceLibrary } from './support/reference.ts';

let directory: string;
let plugin: string;

const fixture = (name: string): string => readFileSync(packagePath('fixtures', 'recorded', name), 'utf8');

/** A test of the interpreter, whose result is one number. */
const negation = (type: string, of: string, recorded: string, tolerance = ''): string =>
  `func.func @negation() {
  %0 = stablehlo.constant dense<${of}> : tensor<${type}>
  %1 = stablehlo.negate %0 : tensor<${type}>
  check.expect_almost_eq_const %1, dense<${recorded}> : tensor<${type}>${tolerance}
  func.return
}
`;

const SINE = `func.func @sine() {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.sine %0 : tensor<f32>
  check.expect_close %1, %2, max_ulp_difference = 0 : tensor<f32>, tensor<f32>
  func.return
}
`;

/** A checkout with modules of this project, in the form of StableHLO's. */
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-corpus-'));
  const [data, interpret] = [
    join(directory, 'hlo/stablehlo/testdata'),
    join(directory, 'hlo/stablehlo/tests/interpret'),
  ];
  mkdirSync(data, { recursive: true });
  mkdirSync(interpret, { recursive: true });
  cpSync(packagePath('fixtures/recorded/scaled_sum.mlir'), join(data, 'right.mlir'));
  writeFileSync(join(data, 'wrong.mlir'), fixture('scaled_sum.mlir').replace('[[true, false', '[[false, false'));
  writeFileSync(join(data, 'torn.mlir'), fixture('scaled_sum.mlir').slice(0, 500));
  writeFileSync(join(data, 'unknown.mlir'), fixture('scaled_sum.mlir').replace('stablehlo.add', 'stablehlo.sum_up'));
  writeFileSync(
    join(interpret, 'functions.mlir'),
    [
      fixture('functions.mlir'),
      negation('f32', '1.0', '-1.1'),
      // One step from the sine of 1, which the test does not allow, and the profile does.
      SINE.replace('\n  %1', '\n  %2 = stablehlo.constant dense<0x3F576AA5> : tensor<f32>\n  %1'),
      'func.func @idle() {\n  %0 = stablehlo.iota dim = 0 : tensor<2xi32>\n  func.return\n}\n',
    ].join('// -----\n'),
  );
  plugin = await referenceLibrary();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function corpus(...args: string[]) {
  const { status, stdout, stderr } = await inProcess(
    ['corpus', 'stablehlo', '--dir', 'hlo', '--plugin', plugin, '--output', 'out', ...args],
    directory,
  );
  return { status, stdout, stderr };
}

const results = () => [...foldRun(readEvents(join(directory, 'out', 'events.jsonl'))).cases.values()];

test('a module passes, warns or fails as its results do, and says where it is', async () => {
  const { status, stdout } = await corpus();
  expect(Object.fromEntries(results().map(({ plan, result }) => [plan.id, result?.status]))).toEqual({
    'stablehlo/testdata:right': 'pass',
    'stablehlo/testdata:torn': 'error',
    'stablehlo/testdata:unknown': 'unsupported',
    'stablehlo/testdata:wrong': 'fail',
    'stablehlo/interpret/functions:wrapping_add': 'pass',
    'stablehlo/interpret/functions:sums': 'pass',
    'stablehlo/interpret/functions:shape_of_constant': 'pass',
    'stablehlo/interpret/functions:negation': 'fail',
    'stablehlo/interpret/functions:sine': 'warn',
    'stablehlo/interpret/functions:idle': 'unsupported',
  });
  const [wrong] = results().find(({ plan }) => plan.id.endsWith(':wrong'))!.result!.findings;
  expect(wrong).toMatchObject({
    type: 'pjrt.NumericMismatch',
    message: expect.stringMatching(/^result 1: 1 of 6 elements differ/),
    detail: expect.stringContaining('check.expect_eq in ./wrong.mlir:11'),
    requirements: ['NUM-REC-001'],
  });
  const [close] = results().find(({ plan }) => plan.id.endsWith(':sine'))!.result!.findings;
  expect(close).toMatchObject({ level: 'should', message: expect.stringContaining('the profile standard allows it') });
  const [torn] = results().find(({ plan }) => plan.id.endsWith(':torn'))!.result!.findings;
  expect(torn!.message).toMatch(/torn\.mlir:\d+: /);
  expect(stdout).toContain('reproduce: npx pjrt-conformance corpus stablehlo --dir hlo --plugin');
  expect(status).toBe(1);
});

test('cases can be selected, and a run can be resumed and expected to fail', async () => {
  const selection = ['--tests', '*:wrong', '--tests', '*:right'];
  const one = await corpus(...selection);
  expect(one.status).toBe(1);
  const expected = await corpus(...selection, '--expectations', 'known.yaml', '--update-expectations');
  expect(expected.stdout).toContain('1 added');
  expect((await corpus(...selection, '--expectations', 'known.yaml')).status).toBe(0);
  const again = await inProcess(['run', '--resume', 'out'], directory);
  expect(again.stdout).toContain('the run is complete: 2 of 2 cases have a result');
});

test('what is no checkout is refused with how to get one', async () => {
  const { status, stderr } = await inProcess(['corpus', 'stablehlo', '--dir', '.', '--plugin', plugin], directory);
  expect(status).toBe(2);
  expect(stderr).toContain('--dir .: it has no stablehlo/testdata; expected a checkout of StableHLO');
  expect(stderr).toContain('git clone --depth 1 https://github.com/openxla/stablehlo');
});

const SUITE = `suite: own
description: Recorded programs of a suite.
cases:
  - id: module
    description: A module of one test.
    covers: [NUM-REC-001]
    steps:
      - recorded: ./hlo/stablehlo/testdata/right.mlir
  - id: function
    description: One test of several.
    covers: [NUM-REC-001]
    matrix: {name: [sums, sine]}
    steps:
      - recorded: ./hlo/stablehlo/tests/interpret/functions.mlir
        function: $name
`;

test('a suite runs recorded tests; those that are not there are named before the plugin is loaded', async () => {
  const run = (text: string) => {
    writeFileSync(join(directory, 'own.yaml'), text);
    const own = ['--suites', 'own.yaml', '--suite', 'own', '--output', 'out'];
    return inProcess(['run', '--plugin', plugin, ...own], directory);
  };
  expect((await run(SUITE)).status).toBe(0);
  expect(results().map(({ plan, result }) => `${plan.id} ${result?.status}`)).toEqual([
    'own:module pass',
    'own:function[name=sums] pass',
    'own:function[name=sine] warn',
  ]);
  const wrong = await run(SUITE.replace('right.mlir', 'torn.mlir').replace('sine]', 'cosine]'));
  expect(wrong.status).toBe(2);
  expect(wrong.stderr).toMatch(/own\.yaml:8:\d+: .*torn\.mlir:\d+: /);
  expect(wrong.stderr).toContain(
    'expected a test cosine; it has wrapping_add, sums, shape_of_constant, negation, sine',
  );
  const nowhere = await run(SUITE.replace('right.mlir', 'nowhere.mlir'));
  expect(nowhere.stderr).toMatch(/nowhere\.mlir: cannot be read: there is no such file/);
});
