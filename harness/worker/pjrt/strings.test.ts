import { describe, expect, test } from 'vitest';
import { Arena } from '../ffi/memory.ts';
import { BadDataError } from './errors.ts';
import { readData, readInt32s, readInt64s, readPointers, readText } from './strings.ts';

const READERS = { readData, readInt32s, readInt64s, readPointers };

describe.each(Object.entries(READERS))('%s', (_, read) => {
  test('an empty string or array at NULL is empty', () => {
    expect([...read(0n, 0)]).toEqual([]);
  });

  test('a nonempty one at NULL is an error of the plugin', () => {
    expect(() => read(0n, 3)).toThrow(BadDataError);
  });

  test.each([2 ** 40, 2 ** 64])('a count of %d is rejected', (count) => {
    expect(() => read(4096n, count)).toThrow(BadDataError);
  });
});

test('arrays are read with the width of their elements', () => {
  const { address } = new Arena().int64s([1, -1]);
  expect(readInt32s(address, 4)).toEqual([1, 0, -1, -1]);
  expect(readInt64s(address, 2)).toEqual([1, -1]);
  expect(readPointers(address, 2)).toEqual([1n, 2n ** 64n - 1n]);
  expect([...readData(address, 2)]).toEqual([1, 0]);
});

test('empty text at NULL is empty, text of terabytes is rejected', () => {
  expect(readText(0n, 5)).toBe('');
  expect(() => readText(4096n, 2 ** 41)).toThrow(BadDataError);
});
