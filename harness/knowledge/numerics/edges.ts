/** Data at the edges of what a type holds, for operations that are exact whatever the operands. */

import { build, type HostArray } from './array.ts';
import type { Bits } from './codec.ts';
import type { DType, FloatFormat } from './dtypes.ts';
import { hashOf } from './hash.ts';

type Hash = (index: number) => number;

/** `count` bits from two hashes. */
const bitsFrom = (high: number, low: number, count: number): bigint =>
  BigInt.asUintN(count, (BigInt(high) << 32n) | BigInt(low));

/** One of four kinds of numbers: a limit, a power of two or its neighbor, all bits at random, any magnitude. */
function integer(width: number, at: Hash): bigint {
  const all = (1n << BigInt(width)) - 1n;
  const high = 1n << BigInt(width - 1);
  const choice = at(1);
  switch (at(0) % 4) {
    case 0: {
      const limits = [0n, 1n, all, all - 1n, high, high - 1n, high + 1n, all / 3n, all - all / 3n];
      return limits[choice % limits.length]!;
    }
    case 1:
      return BigInt.asUintN(width, (1n << BigInt(choice % width)) + BigInt((at(2) % 3) - 1));
    case 2:
      return bitsFrom(at(2), at(3), width);
    default:
      // Sign-extended: small numbers of either sign.
      return BigInt.asUintN(width, BigInt.asIntN(width, bitsFrom(at(2), at(3), width)) >> BigInt(choice % width));
  }
}

/** A special value or a normal number; of all NaNs only the quiet one without payload. */
function float(f: FloatFormat, width: number, at: Hash): bigint {
  const m = BigInt(f.mantissa);
  const minNormal = 1n << m;
  const sign = f.signed && at(1) % 2 === 1 ? 1n << BigInt(width - 1) : 0n;
  if (at(0) % 2 === 0) {
    const one = BigInt(f.bias) << m;
    const magnitudes = [0n, 0n, one, one - 1n, one + 1n, minNormal, f.maxFinite];
    if (f.inf) magnitudes.push(f.maxFinite + 1n, (f.maxFinite + 1n) | (1n << (m - 1n)));
    return sign | magnitudes[at(2) % magnitudes.length]!;
  }
  return sign | (minNormal + (bitsFrom(at(2), at(3), 64) % (f.maxFinite - minNormal + 1n)));
}

/**
 * Limits, powers of two and their neighbors, and numbers of every magnitude, mixed by position and seed. Floats have zeros,
 * infinities and NaN, but no subnormals, which devices may flush. Both parts of complex numbers are of this kind.
 */
export function edges(type: DType, shape: readonly number[], seed: number): HostArray {
  const real = type.component ?? type;
  const hashAt = hashOf(seed);
  const one = (index: number): bigint => {
    const at: Hash = (k) => hashAt(4 * index + k);
    if (real.kind === 'pred') return BigInt(at(0) % 2);
    return real.float ? float(real.float, real.bits, at) : integer(real.bits, at);
  };
  const settle = (bits: bigint): Bits => (type.bits <= 32 ? Number(bits) : bits);
  return build(type, shape, (i) =>
    settle(type.component ? one(2 * i) | (one(2 * i + 1) << BigInt(real.bits)) : one(i)),
  );
}
