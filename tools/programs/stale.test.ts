import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { findStale } from './stale.ts';

// SHA-256 of "abc" and of "abd".
const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const ABD = 'a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9';

let fixtures: string;

beforeEach(() => {
  fixtures = mkdtempSync(join(tmpdir(), 'programs-'));
  mkdirSync(join(fixtures, 'programs/misc'), { recursive: true });
  mkdirSync(join(fixtures, 'artifacts'));
  writeFileSync(join(fixtures, 'programs/misc/a.mlir'), 'abc');
});

afterEach(() => rmSync(fixtures, { recursive: true }));

function writeIndex(programs: object[]): void {
  const index = { formatVersion: 1, tools: {}, ladder: [], programs };
  writeFileSync(join(fixtures, 'programs/index.json'), JSON.stringify(index));
}

const entry = (name: string, sha256: string): object => ({ name, file: `programs/${name}.mlir`, sha256, bytes: 3 });

test('the committed programs agree with their index', () => {
  expect(findStale(packagePath('fixtures'))).toEqual([]);
});

test('a file that matches the index', () => {
  writeIndex([entry('misc/a', ABC)]);
  expect(findStale(fixtures)).toEqual([]);
});

test('changed, missing and extra files are distinguished', () => {
  writeFileSync(join(fixtures, 'artifacts/stray.mlirbc'), '');
  writeIndex([entry('misc/a', ABD), entry('misc/b', ABC)]);
  expect(findStale(fixtures)).toEqual([
    'artifacts/stray.mlirbc: no entry of the index names it',
    'programs/misc/a.mlir: changed (3 bytes, expected 3)',
    'programs/misc/b.mlir: missing',
  ]);
});
