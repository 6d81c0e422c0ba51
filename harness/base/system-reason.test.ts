import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isSystemError, systemReason } from './system-reason.ts';

const directory = mkdtempSync(join(tmpdir(), 'system-reason-'));
const file = join(directory, 'file');
writeFileSync(file, '');
afterAll(() => rmSync(directory, { recursive: true }));

test.each<[string, () => unknown]>([
  ['there is no such file', () => readFileSync(join(directory, 'none'))],
  ['a part of its path is a file, not a directory', () => readFileSync(join(file, 'below'))],
  ['it is a directory, not a file', () => readFileSync(directory)],
  ['there is no such directory', () => readdirSync(join(directory, 'none'))],
  ['it is not a directory', () => readdirSync(file)],
  ['there is a file of that name', () => mkdirSync(file)],
  ['the name is too long', () => readFileSync(join(directory, 'x'.repeat(300)))],
  // One that has no words of ours.
  ['directory not empty', () => rmSyncOf(directory)],
])('%s', (words, call) => {
  expect(reasonOf(call)).toBe(words);
});

test('the message of any other error', () => {
  expect(systemReason(new Error('a, b'))).toBe('a, b');
  expect(systemReason('text')).toBe('text');
  expect(isSystemError(new Error('a'))).toBe(false);
});

/** As Node reports it; removing a directory with something in it. */
function rmSyncOf(path: string): void {
  throw Object.assign(new Error(`ENOTEMPTY: directory not empty, rmdir '${path}'`), {
    code: 'ENOTEMPTY',
    syscall: 'rmdir',
    path,
  });
}

function reasonOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return systemReason(error);
  }
  return 'it works';
}
