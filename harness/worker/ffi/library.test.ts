import { expect, test } from 'vitest';
import { LibraryError } from './library.ts';

test.each([
  ['a.so: undefined symbol: f', 'undefined-symbol'],
  ['libx.so.1: cannot open shared object file: No such file or directory', 'missing-library'],
  ["libc.so.6: version `GLIBC_2.99' not found (required by a.so)", 'missing-version'],
  ['a.so: file too short', undefined],
])('%s', (message, problem) => {
  expect(new LibraryError(message).problem).toBe(problem);
});
