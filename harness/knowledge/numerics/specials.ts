/** Special bit patterns of every type, for which transfers and copies tend to fail. */
import type { Bits } from './codec.ts';
import type { DType, FloatFormat } from './dtypes.ts';

const unique = (bits: bigint[]): bigint[] => [...new Set(bits)];

function floatSpecials(f: FloatFormat, width: number): bigint[] {
  const m = BigInt(f.mantissa);
  const one = BigInt(f.bias) << m;
  const minNormal = 1n << m;
  const top = (1n << (BigInt(f.exponent) + m)) - 1n;
  const inf = f.maxFinite + 1n;
  const quiet = inf | (1n << (m - 1n));
  const magnitudes = [
    ...[0n, 1n, 2n, minNormal / 2n, minNormal - 1n, minNormal, minNormal + 1n],
    ...[one - 1n, one, one + 1n, one + minNormal / 2n, one + minNormal],
    ...[f.maxFinite - 1n, f.maxFinite, inf],
    // Quiet NaNs: none, smallest, alternating and full payload. Signalling NaNs: smallest, high and alternating payload.
    ...[quiet, quiet + 1n, quiet | (0x5555555555555n & (top >> BigInt(f.exponent))), top],
    ...[inf + 1n, quiet - 1n, inf | (1n << (m - 2n)), inf | (0x2aaaaaaaaaaaan & ((1n << (m - 1n)) - 1n))],
  ];
  return magnitudes.flatMap((x) => [x, x | (1n << BigInt(width - 1))]);
}

function integerSpecials(width: number): bigint[] {
  const all = (1n << BigInt(width)) - 1n;
  const high = 1n << BigInt(width - 1);
  const stripes = all / 3n;
  const powers = Array.from({ length: width }, (_, i) => 1n << BigInt(i));
  return [0n, 1n, all, all - 1n, high - 1n, high, high + 1n, stripes, all - stripes, ...powers];
}

/**
 * Special bit patterns of a type. At most 8 bits: all of them (pred: 0 and 1). Wider floats: zeros, subnormals, normal
 * limits, around 1, infinities, quiet and signalling NaNs with payloads, in both signs. Integers: limits, stripes, powers.
 * Complex: pairs of its component's specials, so that swapped parts are detected.
 */
export function specialBits(type: DType): Bits[] {
  if (type.kind === 'pred') return [0, 1];
  if (type.component) {
    const parts = specialBits(type.component).map(BigInt);
    const width = BigInt(type.component.bits);
    return [0, 1, 7].flatMap((step) => parts.map((re, i) => re | (parts[(i + step) % parts.length]! << width)));
  }
  if (type.bits <= 8) return Array.from({ length: 1 << type.bits }, (_, i) => i);
  const bits = unique(type.float ? floatSpecials(type.float, type.bits) : integerSpecials(type.bits));
  return type.bits <= 32 ? bits.map(Number) : bits;
}
