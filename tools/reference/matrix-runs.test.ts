import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changes, inTurn, type MatrixRun, MatrixStore, notPassed } from './matrix-runs.ts';

const run = (others: Record<string, string>, more: Partial<MatrixRun> = {}): MatrixRun => ({
  ...{ minor: '114', delay: '0', run: 1, cases: 3 },
  others,
  ...more,
});

test('configurations alternate', () => {
  const two = [
    { minor: '60', delay: '0' },
    { minor: '114', delay: '0' },
  ];
  expect([...inTurn(two, 2)].map(({ minor, run }) => `${minor} ${run}`)).toEqual(['60 1', '114 1', '60 2', '114 2']);
});

test('a changed verdict is reported, also to and from pass, and a missing case', () => {
  expect(changes(run({ 'a:a': 'unsupported' }), run({ 'a:a': 'unsupported' }))).toEqual([]);
  expect(changes(run({}), run({ 'a:a': 'fail: wrong' }))).toEqual(['a:a  was pass, is fail: wrong']);
  expect(changes(run({ 'a:a': 'unsupported' }), run({}))).toEqual(['a:a  was unsupported, is pass']);
  expect(changes(run({}), run({}, { cases: 2 }))).toEqual(['3 cases before, 2 now']);
});

test('unsupported cases do not count against the plugin', () => {
  expect(notPassed(run({ 'a:a': 'unsupported', 'a:b': 'crash: SIGSEGV' }))).toEqual([['a:b', 'crash: SIGSEGV']]);
});

test('stored runs are found again, without the incomplete line of a killed process', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pjrt-matrix-'));
  try {
    const file = join(directory, 'runs', 'one.jsonl');
    const first = run({ 'a:a': 'unsupported' });
    new MatrixStore(file).add(first);
    appendFileSync(file, '{"minor":"114","delay":"0","ru');
    const store = new MatrixStore(file);
    expect(store.find(first)).toEqual(first);
    expect(store.find({ ...first, run: 2 })).toBeUndefined();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
