import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { levelOf, loadRequirements } from '../requirements.ts';
import { LEVEL, REQUIREMENT, stablehloCorpus } from './stablehlo-corpus.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-corpus-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function file(path: string, text = ''): void {
  mkdirSync(dirname(join(directory, 'hlo/stablehlo', path)), { recursive: true });
  writeFileSync(join(directory, 'hlo/stablehlo', path), text);
}

const testCalled = (name: string): string =>
  `func.func @${name}() {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n  check.expect_eq_const %0, dense<1> : tensor<i32>\n}\n`;

const ids = (): string[] => stablehloCorpus('hlo', directory).flatMap(({ cases }) => cases.map(({ id }) => id));

it('makes a case of each module, without reading it, and of each test of the other files', () => {
  file('testdata/sub.mlir', 'whatever');
  file('testdata/add.mlir');
  file('testdata/README.md');
  file('testdata/dynamic/add.mlir', testCalled('main'));
  file('testdata/quantized/add_qi8.mlir', testCalled('main'));
  file('tests/interpret/add.mlir', `${testCalled('one')}// -----\n${testCalled('two')}// -----\n${testCalled('one')}`);
  file('tests/interpret/chlo/scan.mlir', testCalled('scan'));
  expect(ids()).toEqual([
    'stablehlo/testdata:add',
    'stablehlo/testdata:sub',
    'stablehlo/testdata/quantized/add_qi8:main',
    'stablehlo/interpret/add:one',
    'stablehlo/interpret/add:two',
    'stablehlo/interpret/add:one.2',
    'stablehlo/interpret/chlo/scan:scan',
  ]);
  const [modules, , add] = stablehloCorpus('hlo', directory);
  expect(modules!.cases[0]).toMatchObject({
    file: 'hlo/stablehlo/testdata/add.mlir',
    line: 1,
    steps: [{ verb: 'recorded', path: './add.mlir' }],
  });
  expect(add!.cases[2]).toMatchObject({
    file: 'hlo/stablehlo/tests/interpret/add.mlir',
    line: 11,
    steps: [{ verb: 'recorded', path: './add.mlir', function: 'one', occurrence: 2 }],
  });
});

it('knows when a module has changed', () => {
  file('testdata/add.mlir', 'one');
  file('tests/interpret/add.mlir');
  const digest = (): string | undefined => stablehloCorpus('hlo', directory)[0]!.sha256;
  const before = digest();
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  file('testdata/add.mlir', 'two');
  expect(digest()).not.toBe(before);
});

it('leaves a file that is not understood to its case, which says why', () => {
  file('testdata/add.mlir');
  file('tests/interpret/odd.mlir', 'func.func @odd() {');
  expect(ids()).toEqual(['stablehlo/testdata:add', 'stablehlo/interpret/odd:odd']);
});

it('says what a checkout is and how to get one', () => {
  file('testdata/add.mlir');
  expect(() => stablehloCorpus('hlo', directory)).toThrow(
    /^--dir hlo: it has no stablehlo\/tests\/interpret; expected a checkout of StableHLO, .*:\n {2}git clone /,
  );
  expect(() => stablehloCorpus('nowhere', directory)).toThrow('--dir nowhere: it has no stablehlo/testdata');
});

it('has the level of its requirement', () => {
  expect(levelOf(REQUIREMENT, loadRequirements())).toBe(LEVEL);
});
