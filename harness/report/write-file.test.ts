import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { WriteFileError, writeFileAtomically } from './write-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-write-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('writes pieces, creates directories, replaces the file, leaves nothing else', () => {
  const path = join(directory, 'a', 'report.txt');
  writeFileAtomically(path, (write) => write('old'));
  writeFileAtomically(path, (write) => {
    for (let n = 0; n < 50_000; n++) write('漢x');
    expect(readFileSync(path, 'utf8')).toBe('old');
  });
  expect(readFileSync(path, 'utf8')).toBe('漢x'.repeat(50_000));
  expect(readdirSync(join(directory, 'a'))).toEqual(['report.txt']);
});

test('a producer that throws leaves only the old file', () => {
  const path = join(directory, 'b', 'report.txt');
  writeFileAtomically(path, (write) => write('old'));
  const violated = (): void =>
    writeFileAtomically(path, (write) => {
      write('x'.repeat(1e6));
      throw new Error('boom');
    });
  expect(violated).toThrow('boom');
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(join(directory, 'b'))).toEqual(['report.txt']);
});

test('an unwritable path is reported', () => {
  mkdirSync(join(directory, 'taken'));
  expect(() => writeFileAtomically(join(directory, 'taken'), (write) => write('x'))).toThrow(WriteFileError);
  expect(() => writeFileAtomically(join(directory, 'taken'), (write) => write('x'))).toThrow(
    /taken: it cannot be written: it is a directory/,
  );
});

test('a device stays a device, and a link a link', () => {
  const places = join(directory, 'c');
  const text = (name: string): string => readFileSync(join(places, name), 'utf8');
  mkdirSync(places);
  symlinkSync('/dev/null', join(places, 'device'));
  symlinkSync('report.txt', join(places, 'link'));
  symlinkSync('nowhere/report.txt', join(places, 'dangling'));
  writeFileAtomically(join(places, 'report.txt'), (write) => write('old'));
  for (const name of ['device', 'link', 'dangling']) writeFileAtomically(join(places, name), (write) => write('new'));
  const links = readdirSync(places).filter((name) => lstatSync(join(places, name)).isSymbolicLink());
  expect(links).toEqual(['device', 'link']);
  expect([text('report.txt'), text('link'), text('dangling')]).toEqual(['new', 'new', 'new']);
});
