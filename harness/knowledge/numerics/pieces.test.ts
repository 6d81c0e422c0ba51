import { expect, test } from 'vitest';
import { fromValues } from './array.ts';
import { dtype } from './dtypes.ts';
import { cut, join } from './pieces.ts';

const count = (shape: number[]) => {
  const size = shape.reduce((n, d) => n * d, 1);
  return fromValues(
    dtype('s16'),
    shape,
    Array.from({ length: size }, (_, i) => i),
  );
};
const values = ({ bytes }: { bytes: Uint8Array }): number[] => [...new Int16Array(bytes.slice().buffer)];

test('a piece is a box, without the dimensions that only the whole has', () => {
  expect(values(cut(count([4, 6]), [2, 3], [2, 3]))).toEqual([15, 16, 17, 21, 22, 23]);
  expect(values(cut(count([2, 2, 3]), [2, 3], [1, 0, 0]))).toEqual([6, 7, 8, 9, 10, 11]);
  expect(values(cut(count([2]), [], [1]))).toEqual([1]);
  expect(values(cut(count([2, 0]), [1, 0], [1, 0]))).toEqual([]);
});

test.each<[number[], number[], number[][]]>([
  [
    [4, 6],
    [2, 3],
    [
      [2, 3],
      [0, 0],
      [2, 0],
      [0, 3],
    ],
  ],
  [[6], [2], [[4], [0], [2]]],
  [
    [2, 2, 3],
    [2, 3],
    [
      [1, 0, 0],
      [0, 0, 0],
    ],
  ],
  [[2], [], [[1], [0]]],
  [[], [], [[]]],
  [
    [0, 2],
    [0, 1],
    [
      [0, 0],
      [0, 1],
    ],
  ],
])('%j in pieces of %j is put together again', (whole, shape, starts) => {
  const array = count(whole);
  const pieces = starts.map((start) => cut(array, shape, start));
  const joined = join(pieces, { shape, starts }, whole);
  expect(joined).toHaveLength(1);
  expect(values(joined[0]!)).toEqual(values(array));
});

test('each device of those with the same piece gives another copy', () => {
  const [a, b] = [count([2]), fromValues(dtype('s16'), [2], [7, 8])];
  const copies = join([a, b], { shape: [2], starts: [[0], [0]] }, [2]);
  expect(copies.map(values)).toEqual([
    [0, 1],
    [7, 8],
  ]);
});
