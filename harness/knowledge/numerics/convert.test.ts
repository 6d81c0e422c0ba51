import { expect, test } from 'vitest';
import { bitsAt, fromValues } from './array.ts';
import { decode } from './codec.ts';
import { converted } from './convert.ts';
import { dtype } from './dtypes.ts';

const convert = (from: string, to: string, value: number | bigint | string) =>
  decode(dtype(to), bitsAt(converted(fromValues(dtype(from), [1], [value]), dtype(to)), 0));

test.each<[string, string, number | bigint | string, unknown]>([
  ['f64', 'f32', 0.1, Math.fround(0.1)],
  ['f64', 'bf16', 1.00390625, 1],
  ['f64', 'f32', 1e-300, 0],
  ['f64', 'f32', 'nan', Number.NaN],
  ['f64', 'f32', 'inf', Number.POSITIVE_INFINITY],
  ['f32', 'f64', 0.5, 0.5],
  ['s64', 's32', -5n, -5],
  ['s64', 'u8', 255n, 255],
  ['s64', 'f32', 16777216n, 16777216],
  ['f64', 's32', 3, 3],
  ['s64', 'pred', 1n, 1],
  ['f64', 'c64', 2, { re: 2, im: 0 }],
])('%s as %s keeps %s', (from, to, value, expected) => {
  expect(convert(from, to, value)).toEqual(expected);
});

test.each<[string, string, number | bigint | string]>([
  ['f64', 'f32', 1e300],
  ['f64', 'f16', 70000],
  ['s64', 's32', 2147483648n],
  ['s64', 'u8', -1n],
  ['s64', 'f32', 16777217n],
  ['f64', 's32', 0.5],
  ['f64', 's32', 'nan'],
  ['c128', 'f32', '1+2i'],
])('%s as %s loses %s', (from, to, value) => {
  expect(() => convert(from, to, value)).toThrow(/at \[0\] does not fit/);
});
