import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changedBetween, fingerprintOf } from './fingerprint.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-fingerprint-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('a change of size or time, a new file and a missing one are changes, in directories too', () => {
  const [library, suites] = [join(directory, 'foo.so'), join(directory, 'suites')];
  mkdirSync(suites);
  writeFileSync(library, 'one');
  writeFileSync(join(suites, 'a.yaml'), 'a');
  const changes = (act: () => void): string[] => {
    const before = fingerprintOf([library, suites]);
    act();
    return changedBetween(before, fingerprintOf([library, suites])).map((path) => path.slice(directory.length + 1));
  };
  expect(changes(() => {})).toEqual([]);
  expect(changes(() => writeFileSync(library, 'three'))).toEqual(['foo.so']);
  expect(changes(() => utimesSync(library, 1, 1))).toEqual(['foo.so']);
  expect(changes(() => writeFileSync(join(suites, 'b.yaml'), ''))).toEqual(['suites/b.yaml']);
  expect(changes(() => rmSync(library))).toEqual(['foo.so']);
});
