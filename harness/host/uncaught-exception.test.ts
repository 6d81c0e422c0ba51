import { expect, test } from 'vitest';
import { uncaughtException } from './uncaught-exception.ts';

const captured = (head: string, tail = '') => ({ head, tail, omittedBytes: 0 });

test.each([
  [
    "starting\nterminate called after throwing an instance of 'std::runtime_error'\n  what():  no device 0\n",
    'a C++ exception that nothing caught: std::runtime_error: no device 0',
  ],
  ["terminate called after throwing an instance of 'int'\n", 'a C++ exception that nothing caught: int'],
  [
    'libc++abi: terminating due to uncaught exception of type std::out_of_range: vector\n',
    'a C++ exception that nothing caught: std::out_of_range: vector',
  ],
  ['Check failed: devices > 0\n', undefined],
  ['terminate called without an active exception\n', undefined],
])('the exception is what stderr says: %#', (text, expected) => {
  expect(uncaughtException(captured(text))).toBe(expected);
  expect(uncaughtException(captured('', text))).toBe(expected);
});

test('without stderr nothing is known', () => {
  expect(uncaughtException(undefined)).toBeUndefined();
});
