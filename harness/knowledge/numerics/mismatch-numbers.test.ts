import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromBits, fromValues, reader } from './array.ts';
import { compareArrays } from './compare.ts';
import { DTYPES, dtype } from './dtypes.ts';
import { hexBits, parseHexBits } from './hex-bits.ts';
import { mismatchNumbers, namedArray } from './mismatch-numbers.ts';

const F32 = dtype('f32');
const steps = (value: number[], by: number[]) => {
  const base = fromValues(F32, [value.length], value);
  const read = reader(base);
  return [
    base,
    fromBits(
      F32,
      base.shape,
      by.map((step, i) => Number(read(i)) + step),
    ),
  ] as const;
};

test('distances fall into bins that end at powers of two, those that pass apart from the others', () => {
  const [expected, actual] = steps([1, 1, 1, 1, 1, 1, 1], [0, 1, 2, 3, 4, 5, 8]);
  const { distances, elements } = mismatchNumbers(compareArrays(expected, actual, { ulp: 3 }))!;
  expect(distances).toEqual({ within: [1, 1, 1, 1], beyond: [0, 0, 0, 1, 2] });
  expect(elements?.ulp).toEqual([0, 1, 2, 3, 4, 5, 8]);
  expect(elements?.wrong).toEqual([4, 5, 6]);
});

test('what has no distance, or passes only by the absolute bound, is in no bin', () => {
  const expected = fromValues(F32, [4], [1, 1, 1, 1]);
  const actual = fromValues(F32, [4], ['nan', 'inf', -1, 1.25]);
  const { distances, elements } = mismatchNumbers(compareArrays(expected, actual, { ulp: 0, atol: 0.5 }))!;
  expect(distances).toEqual({ within: [], beyond: [], absolute: 1, noDistance: 3 });
  expect(elements?.ulp.slice(0, 3)).toEqual([null, null, null]);
});

test('arrays of more than 64 elements are counted, and not kept', () => {
  const [expected, actual] = steps(new Array(65).fill(1), new Array(65).fill(1));
  const numbers = mismatchNumbers(compareArrays(expected, actual, 'bits'))!;
  expect(numbers).toEqual({ dtype: 'f32', distances: { within: [], beyond: [0, 65] } });
  expect(namedArray('x', expected)).toEqual({ name: 'x', dtype: 'f32', shape: [65] });
  expect(namedArray('x', fromValues(F32, [], [1]))).toEqual({ name: 'x', dtype: 'f32', shape: [], bits: '3f800000' });
});

test('arrays that cannot be compared have no numbers', () => {
  const [one, two] = [fromValues(F32, [1], [1]), fromValues(F32, [2], [1, 1])];
  expect(mismatchNumbers(compareArrays(one, two))).toBeUndefined();
});

test('bits of every type are read back as they were', () => {
  for (const type of DTYPES) {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 2 * type.hostBytes, maxLength: 2 * type.hostBytes }), (bytes) => {
        const array = { dtype: type, shape: [2], bytes };
        const read = reader(array);
        expect(parseHexBits(hexBits(array), type)?.map(BigInt)).toEqual([read(0), read(1)].map(BigInt));
      }),
      { numRuns: 20 },
    );
  }
});

test.each(['3f80000', '3f800000 zz', '3f800000  40000000', '3f800000,40000000'])('%s is no array of f32', (text) => {
  expect(parseHexBits(text, F32)).toBeUndefined();
});
