/**
 * Reads arrays as lanes: one real value each, as unsigned 32-bit words. Nothing goes through Float32Array, which would quiet
 * signalling NaNs, and nothing creates a BigInt.
 */
import type { HostArray } from './array.ts';
import { pow2 } from './codec.ts';
import { type DType, minExponent } from './dtypes.ts';

/** Number of lanes: complex arrays have two per element. */
interface Lanes {
  type: DType;
  count: number;
  /** Low (or only) word of a lane, masked to the type's width. */
  low(i: number): number;
  /** High word of a 64-bit lane, else 0. */
  high(i: number): number;
}

/** The same bytes, copied if they do not lie at a multiple. */
export const alignedTo = (multiple: number, bytes: Uint8Array): Uint8Array =>
  bytes.byteOffset % multiple === 0 ? bytes : bytes.slice();

/** The lanes of an array. */
export function lanesOf(array: HostArray): Lanes {
  const type = array.dtype.component ?? array.dtype;
  const item = type.hostBytes;
  const { bytes } = array;
  const count = bytes.length / item;
  const aligned = alignedTo(Math.min(item, 4), bytes);
  const { buffer, byteOffset, byteLength } = aligned;
  const zero = (): number => 0;
  if (item === 1) {
    const mask = 2 ** type.bits - 1;
    return { type, count, low: (i) => aligned[i]! & mask, high: zero };
  }
  if (item === 2) {
    const words = new Uint16Array(buffer, byteOffset, byteLength / 2);
    return { type, count, low: (i) => words[i]!, high: zero };
  }
  const words = new Uint32Array(buffer, byteOffset, byteLength / 4);
  if (item === 4) return { type, count, low: (i) => words[i]!, high: zero };
  return { type, count, low: (i) => words[2 * i]!, high: (i) => words[2 * i + 1]! };
}

/** Classification of a float lane. Magnitudes count representable steps from zero; they are exact below 2^53, rounded above. */
export interface Anatomy {
  isNan(high: number, low: number): boolean;
  isNegative(high: number, low: number): boolean;
  /** Low and high word without the sign. */
  magnitudeHigh(high: number): number;
  magnitudeLow(low: number): number;
  isInf(high: number, low: number): boolean;
  isSubnormal(high: number, low: number): boolean;
  /** Words of the smallest normal magnitude. */
  minNormal: { high: number; low: number };
  /** Words of the canonical NaN's magnitude, if the type has NaNs. */
  quiet?: { high: number; low: number };
}

const wordsOf = (x: bigint): { high: number; low: number } => ({
  high: Number(x >> 32n),
  low: Number(x & 0xffffffffn),
});

/** How to decompose a float type's lanes. */
export function anatomyOf(type: DType): Anatomy {
  const f = type.float!;
  const wide = type.bits === 64;
  const top = wide ? 0x80000000 : f.signed ? 2 ** (type.bits - 1) : 2 ** 33;
  const lowSpan = wide ? 2 ** 32 : top;
  const magnitudeHigh = (high: number): number => (wide ? high % 0x80000000 : 0);
  const magnitudeLow = (low: number): number => low % lowSpan;
  const isNegative = (high: number, low: number): boolean => (wide ? high >= top : low >= top);
  const limit = wordsOf(f.maxFinite + (f.inf ? 1n : 0n));
  const infinity = wordsOf(f.maxFinite + 1n);
  const normal = wordsOf(f.subnormals ? 1n << BigInt(f.mantissa) : 0n);
  const above = (h: number, l: number, than: { high: number; low: number }): boolean =>
    h > than.high || (h === than.high && l > than.low);
  const isNan =
    f.nan === 'negative-zero'
      ? (high: number, low: number) => isNegative(high, low) && magnitudeLow(low) === 0
      : (high: number, low: number) => above(magnitudeHigh(high), magnitudeLow(low), limit);
  const anatomy: Anatomy = {
    isNan,
    isNegative,
    magnitudeHigh,
    magnitudeLow,
    isInf: (high, low) => f.inf && magnitudeHigh(high) === infinity.high && magnitudeLow(low) === infinity.low,
    isSubnormal: (high, low) => {
      const h = magnitudeHigh(high);
      const l = magnitudeLow(low);
      return (h !== 0 || l !== 0) && (h < normal.high || (h === normal.high && l < normal.low)) && !isNan(high, low);
    },
    minNormal: normal,
  };
  if (f.nan === 'ieee') anatomy.quiet = wordsOf(f.maxFinite + 1n + (1n << BigInt(f.mantissa - 1)));
  else if (f.nan !== 'none') anatomy.quiet = wordsOf(f.nan === 'all-ones' ? f.maxFinite + 1n : 0n);
  return anatomy;
}

const view = new DataView(new ArrayBuffer(8));

/** The value of a float lane as a double, which holds every format here exactly. */
export function laneValue(type: DType): (high: number, low: number) => number {
  if (type.bits === 64) {
    return (high, low) => {
      view.setUint32(0, high);
      view.setUint32(4, low);
      return view.getFloat64(0);
    };
  }
  const f = type.float!;
  const anatomy = anatomyOf(type);
  const emin = minExponent(f);
  return (high, low) => {
    if (anatomy.isNan(high, low)) return Number.NaN;
    const negative = anatomy.isNegative(high, low);
    const magnitude = anatomy.magnitudeLow(low);
    if (anatomy.isInf(high, low)) return negative ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    const field = Math.floor(magnitude / 2 ** f.mantissa);
    const normal = !f.subnormals || field > 0;
    const significand = (magnitude % 2 ** f.mantissa) + (normal ? 2 ** f.mantissa : 0);
    const value = significand * pow2(Math.max(f.subnormals ? field - 1 : field, 0) + emin - f.mantissa);
    return negative ? -value : value;
  };
}
