import { expect, test } from 'vitest';
import { formatProblem } from './problem.ts';
import { readSample } from './sample-suite.test-helper.ts';
import { type SelectOptions, selectCases } from './select.ts';

const one = readSample(`suite: sample
description: A sample.
cases:
  - {id: copy, description: It copies., covers: [BUF-HOST-002], tags: [smoke], matrix: {dtype: [f32, s8], shape: [[], [2, 3]]}, steps: [{probe: event-on-ready}]}
  - {id: look, description: It looks., covers: [CLI-LKP-002], steps: [{probe: event-on-ready}]}
`).cases;
const CASES = [...one, ...one.map((c) => ({ ...c, suite: 'sample/deep', id: c.id.replace('sample', 'sample/deep') }))];

const ids = (options: SelectOptions): string[] => selectCases(CASES, options).cases.map((c) => c.id);
const complaints = (options: SelectOptions): string =>
  selectCases(CASES, options).unmatched.map(formatProblem).join('\n');

test('no criteria select everything', () => {
  expect(ids({})).toHaveLength(10);
});

test('a suite includes everything below it', () => {
  expect(ids({ suites: ['sample'] })).toHaveLength(10);
  expect(ids({ suites: ['sample/deep'] })).toHaveLength(5);
  expect(ids({ suites: ['samp'] })).toHaveLength(0);
});

test('globs treat brackets literally and match across slashes', () => {
  expect(ids({ ids: ['sample:copy[dtype=f32,shape=2x3]'] })).toEqual(['sample:copy[dtype=f32,shape=2x3]']);
  expect(ids({ ids: ['*[dtype=f32,*'] })).toHaveLength(4);
  expect(ids({ ids: ['s*p:look'] })).toEqual(['sample/deep:look']);
  expect(ids({ ids: ['sample:cop?'] })).toHaveLength(4);
  expect(ids({ ids: ['sample:[cl]ook'] })).toHaveLength(0);
});

test('kinds of criteria intersect, entries of a kind add up', () => {
  expect(ids({ tags: ['smoke'], suites: ['sample/deep'] })).toHaveLength(4);
  expect(ids({ ids: ['sample:look', 'sample/deep:look'] })).toHaveLength(2);
  expect(ids({ requirements: ['CLI-LKP-002'], exclude: ['sample/deep:*'] })).toEqual(['sample:look']);
});

test('a list of tests', () => {
  const testsFrom = ['# failed last time', '', ' sample:copy[dtype=s8,shape=scalar] ', 'sample/deep:look'];
  expect(ids({ testsFrom: { file: 'list', lines: testsFrom } })).toEqual([
    'sample:copy[dtype=s8,shape=scalar]',
    'sample/deep:look',
  ]);
  expect(ids({ testsFrom: { file: 'list', lines: ['sample:*'] } })).toEqual([]);
});

test('of a long list without any match, only the first get suggestions', () => {
  const lines = Array.from({ length: 500 }, (_, at) => `sample:loko${at}`);
  const { unmatched } = selectCases(CASES, { testsFrom: { file: 'list', lines } });
  expect(unmatched.map(({ position }) => position?.line)).toEqual(lines.map((_, at) => at + 1));
  expect(unmatched.filter(({ help }) => help !== undefined)).toHaveLength(20);
});

test('a list without an id is a mistake', () => {
  expect(complaints({ testsFrom: { file: 'list', lines: ['# all of them', ''] } })).toBe(
    '--tests-from list: it contains no id\n    expected: one per line',
  );
});

test('a criterion without any match is reported with suggestions', () => {
  const options = {
    suites: ['sampel'],
    ids: ['*:look', 'sample:loko', 'sampel:*', 'sample:coyp*'],
    exclude: ['sampel/*'],
    tags: ['smok'],
    requirements: ['CLI-LKP-020'],
    testsFrom: { file: 'list', lines: ['# failed', 'gone:away'] },
  };
  expect(complaints(options)).toMatchInlineSnapshot(`
    "--suite: nothing matches "sampel"
        help: did you mean "sample"?
    --tests: nothing matches "sample:loko"
        help: did you mean "sample:look"?
    --tests: nothing matches "sampel:*"
        help: did you mean "sample:*"?
    --tests: nothing matches "sample:coyp*"
        help: did you mean "sample:copy*"?
    --tag: nothing matches "smok"
        help: did you mean "smoke"?
    --requirement: nothing matches "CLI-LKP-020"
        help: did you mean "CLI-LKP-002"?
    --tests-from list:2:1: nothing matches "gone:away"
        help: see the output of \`list\`
    --exclude: nothing matches "sampel/*"
        help: did you mean "sample/*"?"
  `);
  expect(complaints({ ids: ['*:look'], tags: ['smoke'] })).toBe('');
});

test('a criterion that only the profile leaves empty is not misspelt', () => {
  const within = (c: { name: string }): boolean => c.name === 'look';
  expect(complaints({ tags: ['smoke'], exclude: ['sample:copy*'], within })).toBe('');
  expect(ids({ exclude: ['sample:copy*'], within })).not.toEqual([]);
  expect(ids({ within })).toEqual(ids({ ids: ['*:look'] }));
});
