import { expect, test } from 'vitest';
import { exponential } from '../../harness/model/sample-numbers.test-helper.ts';
import { orderBins } from './by-order.ts';

test('from the most negative operand to the most positive, with a gap where orders are left out', () => {
  const { byOrder, bounds } = exponential();
  const bins = orderBins(byOrder!, bounds);
  expect(bins.map(({ from, ulp }) => [from, ulp])).toEqual([
    ['-2^0', Number.NaN],
    ['…', Number.NaN],
    ['-2^-8', 0],
    ['0', 0],
    ['2^-8', 0],
    ['…', Number.NaN],
    ['2^0', 2],
  ]);
  expect(bins.at(-1)).toMatchObject({ label: '2^0 to 2^2', allowed: { strict: 3, standard: 11, relaxed: 3363 } });
});

test('a bound that does not grow is finite where the operand is not', () => {
  const { byOrder, bounds } = exponential();
  const bins = orderBins(
    {
      ...byOrder!,
      orders: [
        [0, 0],
        [1023, 1023],
      ],
    },
    bounds,
  );
  expect(bins.at(-1)!.allowed.strict).toBe(3);
});
