import { expect, test } from 'vitest';
import { type Caller, differences, loadCallers } from './callers.ts';
import { REPORTS } from './reports.ts';

test('reads the tests of Go that have no subtests; one that never ended failed', () => {
  const lines = [
    { Action: 'start' },
    { Action: 'run', Test: 'TestA' },
    { Action: 'run', Test: 'TestA/one' },
    { Action: 'skip', Test: 'TestA/one' },
    { Action: 'pass', Test: 'TestA' },
    { Action: 'run', Test: 'TestB' },
    { Action: 'fail' },
  ];
  const text = ['building', ...lines.map((line) => JSON.stringify(line))].join('\n');
  expect([...REPORTS['go test -json'](text)]).toEqual([
    ['TestA/one', 'skip'],
    ['TestB', 'fail'],
  ]);
});

test('has no results of a check that died', () => {
  expect(REPORTS['pypjrt.conform --json']('').size).toBe(0);
});

test('a result differs if no reason covers it, and a reason if it covers none', () => {
  const reason = 'a reason of at least so many words';
  const caller: Caller = {
    package: { go: 'example.org/caller' },
    version: 'v1.0.0',
    command: ['true'],
    report: 'go test -json',
    explained: [
      { test: 'TestA/*', result: 'fail', reason },
      { test: 'TestB', result: 'skip', on: ['tpu-*'], reason },
    ],
  };
  const results = new Map([
    ['TestA/one', 'fail'],
    ['TestB', 'skip'],
    ['TestC', 'pass'],
  ] as const);
  expect(differences('tpu-like', caller, results)).toEqual([]);
  expect(differences('reference', caller, results)).toEqual(['TestB: skip']);
  expect(differences('tpu-like', caller, new Map([['TestC', 'pass']]))).toEqual([
    'TestA/*: explained as fail, which no test is',
    'TestB: explained as skip, which no test is',
  ]);
});

test('the callers of the package are well-formed', () => {
  expect(Object.keys(loadCallers().callers)).toContain('gopjrt');
});
