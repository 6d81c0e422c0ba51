import { describe, expect, it } from 'vitest';
import { placeLines } from '../../model/place-lines.ts';
import { elementCount, fromValues, type HostArray } from './array.ts';
import { compareArrays } from './compare.ts';
import { dtype } from './dtypes.ts';

const s32 = (shape: number[], value: (i: number) => number): HostArray =>
  fromValues(
    dtype('s32'),
    shape,
    Array.from({ length: elementCount(shape) }, (_, i) => value(i)),
  );

/** Values without a period. */
const hash = (i: number): number => (Math.imul(i + 1, 0x9e3779b1) >>> 7) % 1000;

const placesOf = (shape: number[], wrong: (i: number) => number) =>
  compareArrays(s32(shape, hash), s32(shape, wrong)).places;

/** Wrong by something else at each of these indices. */
const spoiled = (shape: number[], at: (i: number) => boolean) =>
  placesOf(shape, (i) => (at(i) ? hash(i) + 1 + (i % 7) : hash(i)));

const linesOf = (places: ReturnType<typeof placesOf>): string[] => (places ? placeLines(places) : []);

describe('where arrays differ', () => {
  it.each<[string, number[], (i: number) => boolean, string[]]>([
    ['columns', [4, 131], (i) => i % 131 >= 128, ['exactly these differ: columns 128..130, all rows']],
    ['a row', [4, 8], (i) => Math.floor(i / 8) === 2, ['exactly these differ: row 2, all columns']],
    ['every fourth', [6, 8], (i) => i % 4 === 3, ['exactly these differ: every 4th column from 3 to 7, all rows']],
    [
      'a tile',
      [2, 8, 8],
      (i) => i % 8 >= 6 && Math.floor(i / 8) % 8 >= 4,
      ['exactly these differ: columns 6..7, rows 4..7, all indices of dimension 0'],
    ],
    [
      'an end',
      [3, 5],
      (i) => i >= 7,
      ['every element from row-major index 7 on differs', 'all that differ lie in rows 1..2, all columns'],
    ],
    ['one element', [9], (i) => i === 4, ['exactly these differ: element 4']],
    ['everything', [9], () => true, []],
  ])('%s', (_, shape, at, lines) => {
    expect(linesOf(spoiled(shape, at))).toEqual(lines);
  });

  it('what the wrong values are', () => {
    const transposed = (i: number): number => hash((i % 6) * 4 + Math.floor(i / 6));
    expect(linesOf(placesOf([6, 4], (i) => transposed(i)))).toContain(
      'the expected values are there, with the last two dimensions in the other order',
    );
    expect(linesOf(placesOf([40], (i) => hash(i - 3)))).toContain(
      'the expected values are there, 3 elements too late in row-major order',
    );
    expect(linesOf(placesOf([40], (i) => hash(39 - i)))).toContain('the expected values are there, in reverse order');
    expect(linesOf(placesOf([2, 20], (i) => (i % 20 === 19 ? 0 : hash(i))))).toEqual([
      'exactly these differ: column 19, all rows',
    ]);
    expect(linesOf(placesOf([4, 20], (i) => (i % 20 === 19 ? 0 : hash(i))))).toEqual([
      'all wrong elements are 0 (0x00000000)',
      'exactly these differ: column 19, all rows',
    ]);
  });

  it('a coarse grid of the share that differs in each cell', () => {
    const grid = spoiled([2, 64, 48], (i) => i % 48 >= 46 && (i % 48 === 47 || Math.floor(i / 48) % 2 === 0))!.grid;
    expect(grid).toMatchObject({ rowsPerCell: 2, columnsPerCell: 2 });
    expect(new Set(grid.cells)).toEqual(new Set([`${'.'.repeat(23)}7`]));
    expect(grid.cells).toHaveLength(32);
    expect(spoiled([6], (i) => i > 3)!.grid).toEqual({ rowsPerCell: 1, columnsPerCell: 1, cells: ['....##'] });
    expect(placesOf([6], hash)).toBeUndefined();
  });
});
