import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTextFile } from './text-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'text-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('reads text, but no directories, devices, circular links or binary files', () => {
  const path = join(folder, 'a.txt');
  writeFileSync(path, 'grüße\n');
  expect(readTextFile(path)).toBe('grüße\n');
  expect(() => readTextFile(folder)).toThrow('it is a directory, not a file');
  expect(() => readTextFile('/dev/zero')).toThrow('it is a device or a pipe, not a file');
  expect(() => readTextFile(join(folder, 'none'))).toThrow('ENOENT');
  symlinkSync('loop', join(folder, 'loop'));
  expect(() => readTextFile(join(folder, 'loop'))).toThrow('ELOOP');
  writeFileSync(path, Uint8Array.of(0x61, 0xe4, 0x62));
  expect(() => readTextFile(path)).toThrow('it is not UTF-8 text');
});
