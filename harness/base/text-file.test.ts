import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTextFile } from './text-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'text-file-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('reads text, but no directories, devices, circular links or binary files', () => {
  const path = join(directory, 'a.txt');
  writeFileSync(path, 'grüße\n');
  expect(readTextFile(path)).toBe('grüße\n');
  expect(() => readTextFile(directory)).toThrow('it is a directory, not a file');
  expect(() => readTextFile('/dev/zero')).toThrow('it is a device or a pipe, not a file');
  expect(() => readTextFile(join(directory, 'none'))).toThrow('there is no such file');
  symlinkSync('loop', join(directory, 'loop'));
  expect(() => readTextFile(join(directory, 'loop'))).toThrow('it is a link that leads to itself');
  writeFileSync(path, Uint8Array.of(0x61, 0xe4, 0x62));
  expect(() => readTextFile(path)).toThrow('it is not UTF-8 text');
});
