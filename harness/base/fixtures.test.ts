import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readIndex } from '../knowledge/programs/program-index.ts';
import { type FixturePack, packFixtures, readFixture, readPacked } from './fixtures.ts';
import { packagePath } from './paths.ts';

const { data, places } = packFixtures(packagePath('fixtures'));
let directory: string;
let pack: FixturePack;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fixtures-'));
  pack = { data: join(directory, 'all.bin'), index: join(directory, 'all.json') };
  writeFileSync(pack.data, data);
  writeFileSync(pack.index, JSON.stringify(places));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('a pack has every file byte for byte, and nothing else', () => {
  const files = Object.keys(places);
  for (const file of files) expect(readPacked(pack, file).equals(readFixture(file)), file).toBe(true);
  const named = readIndex().programs.flatMap(({ file, artifacts = [] }) => [file, ...artifacts.map((a) => a.file)]);
  expect(files).toEqual(expect.arrayContaining([...new Set(named)]));
  expect(files).toContain('expected/manifest.json');
  expect(data.length).toBe(files.reduce((sum, file) => sum + readFileSync(packagePath('fixtures', file)).length, 0));
});

test('a file that is not there, and data that end too early, are errors that say where', () => {
  expect(() => readPacked(pack, 'programs/none.mlir')).toThrow(`${pack.data} does not contain programs/none.mlir`);
  expect(() => readPacked(pack, 'toString')).toThrow('does not contain toString');
  truncateSync(pack.data, data.length - 1);
  expect(() => readPacked(pack, Object.keys(places).at(-1)!)).toThrow(`${pack.data} ends before`);
});
