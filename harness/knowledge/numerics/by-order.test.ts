import { expect, it } from 'vitest';
import { fromBits, fromValues } from './array.ts';
import { ulpByOrder } from './by-order.ts';
import { compareArrays } from './compare.ts';
import { dtype } from './dtypes.ts';

const f32 = dtype('f32');
const STEP = 2 ** -23;

it('the largest error of each order of the operand, by sign', () => {
  const input = fromValues(f32, [6], [-4, -3, 0, 0.5, 5, 'inf']);
  const expected = fromValues(f32, [6], [1, 1, 1, 1, 1, 1]);
  const actual = fromValues(f32, [6], [1 + 2 * STEP, 1 + STEP, 1, 1 + 3 * STEP, 'nan', 2]);
  const comparison = compareArrays(expected, actual, { ulp: 4 }, { inputs: [input] });
  expect(ulpByOrder(comparison)).toEqual({
    of: 'operand',
    orders: [
      [-1, -1],
      [1, 1],
      [2, 2],
    ],
    negative: [-1, 1, 2],
    positive: [3, -1, null],
    zero: 0,
  });
});

it('the order of the result where there is not one operand; subnormal ones have an order too', () => {
  const expected = fromBits(f32, [2], [1, 0x40000000]);
  const actual = fromBits(f32, [2], [3, 0x40000000]);
  expect(ulpByOrder(compareArrays(expected, actual, { ulp: 4 }))).toEqual({
    of: 'result',
    orders: [
      [-149, -149],
      [1, 1],
    ],
    negative: [-1, -1],
    positive: [2, 0],
  });
});

it('never more than 32 bins', () => {
  const values = Array.from({ length: 200 }, (_, i) => 2 ** (i - 100));
  const expected = fromValues(f32, [200], values);
  const actual = fromValues(
    f32,
    [200],
    values.map((value) => value * (1 + STEP)),
  );
  const found = ulpByOrder(compareArrays(expected, actual, { ulp: 4 }))!;
  expect(found.orders.length).toBeLessThanOrEqual(32);
  expect([found.orders[0]![0], found.orders.at(-1)![1]]).toEqual([-100, 99]);
  expect(new Set(found.positive)).toEqual(new Set([1]));
});
