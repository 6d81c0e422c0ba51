import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { WriteFileError, writeFileAtomically } from './write-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'pjrt-write-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('writes pieces, makes folders, replaces, leaves nothing else', () => {
  const path = join(folder, 'a', 'report.txt');
  writeFileAtomically(path, (write) => write('old'));
  writeFileAtomically(path, (write) => {
    for (let n = 0; n < 50_000; n++) write('漢x');
    expect(readFileSync(path, 'utf8')).toBe('old');
  });
  expect(readFileSync(path, 'utf8')).toBe('漢x'.repeat(50_000));
  expect(readdirSync(join(folder, 'a'))).toEqual(['report.txt']);
});

test('a producer that throws leaves the old file and no other', () => {
  const path = join(folder, 'b', 'report.txt');
  writeFileAtomically(path, (write) => write('old'));
  const broken = (): void =>
    writeFileAtomically(path, (write) => {
      write('x'.repeat(1e6));
      throw new Error('boom');
    });
  expect(broken).toThrow('boom');
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(join(folder, 'b'))).toEqual(['report.txt']);
});

test('an unwritable place is named', () => {
  mkdirSync(join(folder, 'taken'));
  expect(() => writeFileAtomically(join(folder, 'taken'), (write) => write('x'))).toThrow(WriteFileError);
  expect(() => writeFileAtomically(join(folder, 'taken'), (write) => write('x'))).toThrow(
    /taken: the report cannot be written: EISDIR/,
  );
});
