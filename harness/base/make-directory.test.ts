import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeDirectory } from './make-directory.ts';

const root = mkdtempSync(join(tmpdir(), 'pjrt-make-directory-'));
afterAll(() => rmSync(root, { recursive: true }));

test('makes what is missing and takes what is there', () => {
  makeDirectory(join(root, 'a', 'b'));
  makeDirectory(join(root, 'a', 'b'));
  expect(statSync(join(root, 'a', 'b')).isDirectory()).toBe(true);
});

test('a file in the way is an error', () => {
  writeFileSync(join(root, 'file'), '');
  expect(() => makeDirectory(join(root, 'file'))).toThrow(/EEXIST/);
  expect(() => makeDirectory(join(root, 'file', 'below'))).toThrow(/ENOTDIR|EEXIST/);
});

// A directory that cannot be made although its parent is there.
test.skipIf(process.platform !== 'linux')('below /proc it is an error at once', () => {
  expect(() => makeDirectory('/proc/no-such/directory')).toThrow(/ENOENT/);
});
