import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'pjrt-make-folder-'));
afterAll(() => rmSync(root, { recursive: true }));

test('makes what is missing and takes what is there', () => {
  makeFolder(join(root, 'a', 'b'));
  makeFolder(join(root, 'a', 'b'));
  expect(statSync(join(root, 'a', 'b')).isDirectory()).toBe(true);
});

test('a file in the way is an error', () => {
  writeFileSync(join(root, 'file'), '');
  expect(() => makeFolder(join(root, 'file'))).toThrow(/EEXIST/);
  expect(() => makeFolder(join(root, 'file', 'below'))).toThrow(/ENOTDIR|EEXIST/);
});

// A folder that cannot be made although its parent is there.
test.skipIf(process.platform !== 'linux')('below /proc it is an error at once', () => {
  expect(() => makeFolder('/proc/no-such/folder')).toThrow(/ENOENT/);
});
