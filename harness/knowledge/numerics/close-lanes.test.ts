import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HostArray } from './array.ts';
import { byRules } from './by-rules.test-helper.ts';
import { type Comparison, compareArrays, type Policy } from './compare.ts';
import { DTYPES, type DType } from './dtypes.ts';

const counted = ({ histogram, countAbsolute, maxUlp, maxUlpIndex, countMismatch, index }: Comparison) => ({
  histogram,
  countAbsolute,
  maxUlp,
  maxUlpIndex,
  countMismatch,
  index,
});

const source = 'test';
const POLICIES: Policy[] = [
  { ulp: 0, nan: 'bits', zero: 'signed' },
  { ulp: 3, source },
  { ulp: 3, subnormal: 'maybe', source },
  { ulp: 20, subnormal: 'flush', zero: 'signed', atol: 0.5, source },
  { ulp: 0, atol: 1e-30, subnormal: 'maybe', source },
  { ulp: 2, atol: 1e30, source },
  { ulp: 3, overflow: 'within-ulp', source },
  { ulp: 3, range: [-1, 1], source },
];
const POISON = 0xa5;

/** The bits of an array and of one that is close to it: near zero, the limits of normal numbers, the poison, or anywhere. */
const pair = (type: DType) => {
  const size = type.hostBytes;
  const bits = BigInt(8 * (type.component ?? type).hostBytes);
  const { mantissa = 0, maxFinite = 0n } = (type.component ?? type).float ?? {};
  const poison = BigInt(`0x${'a5'.repeat(size)}`);
  const lane = fc.tuple(
    fc.oneof(fc.constantFrom(0n, 1n << BigInt(mantissa), maxFinite + 1n, poison), fc.bigInt(0n, (1n << bits) - 1n)),
    fc.integer({ min: -5, max: 5 }),
    fc.integer({ min: -5, max: 5 }),
    fc.constantFrom(0n, 0n, 0n, 1n << (bits - 1n)),
    fc.boolean(),
  );
  const perElement = type.component ? 2 : 1;
  return fc.array(lane, { minLength: 1, maxLength: 12 }).map((lanes) => {
    const all = Array.from({ length: perElement }, () => lanes).flat();
    const bytes = [0, 1].map(() => new Uint8Array((all.length * size) / perElement)) as [Uint8Array, Uint8Array];
    all.forEach(([base, d, e, sign, both], i) => {
      [base + BigInt(d), (base + BigInt(e)) ^ sign].forEach((value, side) => {
        let rest = BigInt.asUintN(Number(bits), both ? value ^ (1n << (bits - 1n)) : value);
        for (let b = 0; b < size / perElement; b++, rest >>= 8n)
          bytes[side]![(i * size) / perElement + b] = Number(rest & 255n);
      });
    });
    return bytes;
  });
};

test.each(DTYPES.map((type) => [type.name, type] as const))(
  'the fast way through %s counts as the rules do',
  (_, type) => {
    fc.assert(
      fc.property(pair(type), fc.constantFrom(...POLICIES), fc.boolean(), ([e, a], policy, poisoned) => {
        const shape = [e.length / type.hostBytes];
        const [expected, actual] = [e, a].map((bytes) => ({ dtype: type, shape, bytes })) as [HostArray, HostArray];
        const options = poisoned ? { poison: POISON } : {};
        const result = compareArrays(expected, actual, policy, options);
        expect(counted(result)).toEqual(byRules(expected, actual, policy, options));
      }),
      { numRuns: 500 },
    );
  },
);
