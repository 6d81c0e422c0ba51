import { expect, it } from 'vitest';
import { fromValues, type HostArray, reader } from '../../knowledge/numerics/array.ts';
import { decode } from '../../knowledge/numerics/codec.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import { cropped, plainer } from './simpler-data.ts';

const s32 = (shape: number[], of: number[]): HostArray => fromValues(dtype('s32'), shape, of);
const valuesOf = (array: HostArray): unknown[] => {
  const read = reader(array);
  return Array.from({ length: array.bytes.length / array.dtype.hostBytes }, (_, i) =>
    Number(decode(array.dtype, read(i))),
  );
};

it('offers zeros, ones, a count and the first element, up to what an array is already', () => {
  expect(plainer(s32([3], [7, 8, 9])).map(valuesOf)).toEqual([
    [0, 0, 0],
    [1, 1, 1],
    [0, 1, 2],
    [7, 7, 7],
  ]);
  expect(plainer(s32([2], [1, 1])).map(valuesOf)).toEqual([[0, 0]]);
  expect(plainer(s32([2], [0, 0]))).toEqual([]);
});

it('crops arrays to their first elements', () => {
  const array = s32([2, 3, 2], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(valuesOf(cropped(array, [2, 2, 1]))).toEqual([0, 2, 6, 8]);
  expect(valuesOf(cropped(array, [1, 3, 2]))).toEqual([0, 1, 2, 3, 4, 5]);
  expect(valuesOf(cropped(s32([], [5]), []))).toEqual([5]);
});
