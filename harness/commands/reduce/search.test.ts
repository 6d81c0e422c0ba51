import { describe, expect, it } from 'vitest';
import { type Cut, cutOf, type Edited, sizeOf, withMakers } from './edited.ts';
import { smallerSizes } from './reduction.ts';
import { type Fails, fewestOps } from './search.ts';

const f32 = (...shape: number[]) => ({ mlir: `tensor<${[...shape, 'f32'].join('x')}>`, shape, element: 'f32' });
const op = (name: string, operands: number[], results: number[], size = 1) => ({
  name,
  operands,
  results,
  size,
  regions: 0,
});

/** Two parameters 0 and 1; a = 0 + 1, b = a · a, c = token of b, d = c and b, e = 0 - 1. */
const PROGRAM: Edited = {
  parameters: 2,
  results: [5, 6],
  values: [f32(2, 3), f32(2, 3), f32(2, 3), f32(2, 3), { mlir: '!stablehlo.token' }, f32(2, 3), f32(2, 3)],
  ops: [
    op('add', [0, 1], [2]),
    op('multiply', [2], [3]),
    op('send', [3], [4]),
    op('recv', [3, 4], [5], 3),
    op('subtract', [0, 1], [6]),
  ],
};

/** Fails where all these operations are. */
const where =
  (tried: Cut[], ...ops: number[]): Fails =>
  (cuts) => {
    tried.push(...cuts);
    return Promise.resolve(cuts.map(({ keep }) => ops.every((one) => keep.includes(one))));
  };

describe('cutOf', () => {
  it('makes parameters of what others make, and results of what no one takes', () => {
    expect(cutOf(PROGRAM, [1])).toEqual({ keep: [1], parameters: [2], results: [3] });
    expect(cutOf(PROGRAM, [0, 1])).toEqual({ keep: [0, 1], parameters: [0, 1], results: [3] });
  });

  it('keeps results of the whole program that the part takes itself', () => {
    const returned = { ...PROGRAM, results: [2, 5] };
    expect(cutOf(returned, [0, 1])?.results).toEqual([2, 3]);
  });

  it('keeps the maker of what no array can hold', () => {
    expect(cutOf(PROGRAM, [3])).toEqual({ keep: [2, 3], parameters: [3], results: [5] });
  });

  it('has none where nothing can be read', () => {
    expect(cutOf(PROGRAM, [2])).toBeUndefined();
    expect(cutOf(PROGRAM, [])).toBeUndefined();
  });
});

it('finds all that a result needs', () => {
  expect(withMakers(PROGRAM, [3])).toEqual([0, 1, 2, 3]);
  expect(withMakers(PROGRAM, [4])).toEqual([4]);
  expect(sizeOf(PROGRAM)).toBe(7);
});

describe('fewestOps', () => {
  it('finds an operation that fails alone', async () => {
    expect(await fewestOps(PROGRAM, where([], 1))).toEqual([1]);
  });

  it('finds operations that fail together only', async () => {
    expect(await fewestOps(PROGRAM, where([], 0, 3))).toEqual([0, 2, 3]);
    expect(await fewestOps(PROGRAM, where([], 1, 4))).toEqual([1, 4]);
  });

  it('looks at those first that the failing result needs', async () => {
    const tried: Cut[] = [];
    await fewestOps(PROGRAM, where(tried, 4));
    expect(tried.map(({ keep }) => keep)).toEqual([[4], [0, 1, 2, 3], [4]]);
  });
});

it('tries smaller sizes, those of the largest first', () => {
  expect(smallerSizes(PROGRAM)).toEqual([
    { from: 3, to: 1 },
    { from: 3, to: 2 },
    { from: 2, to: 1 },
  ]);
  expect(smallerSizes({ ...PROGRAM, values: [f32(1)] })).toEqual([]);
});
