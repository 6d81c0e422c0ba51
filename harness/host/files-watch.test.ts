import { createHash } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { FilesWatch } from './files-watch.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-watch-'));
afterAll(() => rmSync(directory, { recursive: true }));
const path = join(directory, 'foo.so');
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

/** What is said of a file that something happens to between two looks, and whether it fails the run. */
async function said(happens: () => void, hash = false): Promise<[string, boolean][]> {
  writeFileSync(path, 'as it was');
  utimesSync(path, LONG_AGO, LONG_AGO);
  const notes: [string, boolean][] = [];
  const sha256 = createHash('sha256').update('as it was').digest('hex');
  const watch = new FilesWatch({ files: [{ path, sha256 }], hash }, (message, { breach }) =>
    notes.push([message, breach]),
  );
  watch.look({ pid: process.pid, number: 1 }, true);
  happens();
  watch.look({ pid: process.pid, number: 2 }, true);
  await watch.end();
  return notes;
}

const other = join(directory, 'other.so');

test('a file that nothing touches', async () => {
  expect(await said(() => {})).toEqual([]);
  expect(await said(() => {}, true)).toEqual([]);
});

test.each<[string, () => void]>([
  ['is written', () => writeFileSync(path, 'as it is')],
  [
    'is written with its size, and gets its time back',
    () => {
      writeFileSync(path, 'as it is.');
      utimesSync(path, LONG_AGO, LONG_AGO);
    },
  ],
  [
    'is replaced',
    () => {
      writeFileSync(other, 'as it is');
      renameSync(other, path);
    },
  ],
  ['is removed', () => rmSync(path)],
])('a file that %s fails the run, once', async (_, happens) => {
  expect(await said(happens)).toEqual([[expect.stringMatching(/foo\.so changed during the run: .*worker 2/), true]]);
});

test('a file that is written with the content that it had is a note', async () => {
  expect(await said(() => writeFileSync(path, 'as it was'))).toEqual([
    [expect.stringContaining('its content is the same'), false],
  ]);
  // As a backup or an installer may do.
  expect(await said(() => utimesSync(path, new Date(), LONG_AGO))).toEqual([]);
});
