/** Values to bits and back. Encoding rounds once, to nearest even, directly from the double or the decimal. */
import type { Scalar } from './data.ts';
import { type DType, DTypeError, type FloatFormat, minExponent } from './dtypes.ts';
import { type Exact, parseComplex, parseReal } from './scalar.ts';

/** Element bits: a number up to 32 bits, a bigint beyond. Complex: the real part is the low half. */
export type Bits = number | bigint;

/** A decoded element. 64-bit integers are bigints; everything else real is a number. */
type Value = number | bigint | { re: number; im: number };

const view = new DataView(new ArrayBuffer(8));

/** 2^k, exactly, for every k a double can hold. */
export function pow2(k: number): number {
  if (k < -1074) return 0;
  if (k > 1023) return Number.POSITIVE_INFINITY;
  view.setUint32(4, k < -1022 && k + 1074 < 32 ? (1 << (k + 1074)) >>> 0 : 0);
  view.setUint32(0, k >= -1022 ? (k + 1023) * 2 ** 20 : k + 1074 >= 32 ? 1 << (k + 1074 - 32) : 0);
  return view.getFloat64(0);
}

/** floor(log2(x)) of a positive finite double. */
export function exponentOf(x: number): number {
  view.setFloat64(0, x);
  const field = (view.getUint32(0) >>> 20) & 0x7ff;
  return field === 0 ? exponentOf(x * 2 ** 64) - 64 : field - 1023;
}

/** The format of a float type. */
function floatOf(type: DType): FloatFormat {
  if (!type.float) throw new DTypeError(`${type.name} is not a floating-point type`);
  return type.float;
}

/** A number if the type has at most 32 bits. */
const settle = (type: DType, bits: bigint): Bits => (type.bits <= 32 ? Number(bits) : bits);

const signBit = (type: DType): bigint => 1n << BigInt(type.bits - 1);

/** The NaN that `nan` encodes to: quiet, no payload, positive if the type has a sign for it. */
function canonicalNan(type: DType): Bits {
  const f = floatOf(type);
  const ones = (1n << BigInt(f.exponent + f.mantissa)) - 1n;
  if (f.nan === 'none') throw new DTypeError(`${type.name} has no NaN`);
  if (f.nan === 'all-ones') return settle(type, ones);
  if (f.nan === 'negative-zero') return settle(type, ones + 1n);
  return settle(type, f.maxFinite + 1n + (1n << BigInt(f.mantissa - 1)));
}

const signed = (type: DType, negative: boolean, magnitude: bigint): Bits => {
  const f = floatOf(type);
  if (!negative) return settle(type, magnitude);
  if (!f.signed) throw new DTypeError(`${type.name} has no negative values`);
  // -0 exists only if its pattern is not the NaN.
  if (magnitude === 0n && f.nan === 'negative-zero') return 0;
  return settle(type, magnitude | signBit(type));
};

const infinity = (type: DType, negative: boolean, why: string): Bits => {
  const f = floatOf(type);
  if (!f.inf) throw new DTypeError(`${why} does not fit ${type.name}, which has no infinity`);
  return signed(type, negative, f.maxFinite + 1n);
};

/** num/den rounded to an integer, ties to even. */
const roundHalfEven = (num: bigint, den: bigint): bigint => {
  const quotient = num / den;
  const twice = 2n * (num - quotient * den);
  return twice > den || (twice === den && quotient % 2n === 1n) ? quotient + 1n : quotient;
};

const shift = (x: bigint, by: number): bigint => (by >= 0 ? x << BigInt(by) : x);

const floorLog2 = (num: bigint, den: bigint): number => {
  const guess = num.toString(2).length - den.toString(2).length;
  return shift(num, -guess) >= shift(den, guess) ? guess : guess - 1;
};

/** Magnitude bits of a positive ratio, as if the exponent were unbounded. */
function roundRatio(f: FloatFormat, num: bigint, den: bigint): bigint {
  const emin = minExponent(f);
  const exponent = Math.max(floorLog2(num, den), emin);
  const quantum = exponent - f.mantissa;
  const n = roundHalfEven(shift(num, -quantum), shift(den, quantum));
  return place(f, BigInt(exponent - emin), n);
}

/** Exponent above the smallest, and significand, to magnitude bits; a carry out of the significand increments the exponent. */
const place = (f: FloatFormat, step: bigint, n: bigint): bigint =>
  f.subnormals ? (step << BigInt(f.mantissa)) + n : step + n - 1n;

function encodeExactFloat(type: DType, value: Exact, written: string): Bits {
  const f = floatOf(type);
  if (value.kind === 'nan') {
    const bits = canonicalNan(type);
    return value.negative && f.nan !== 'negative-zero' && f.signed ? settle(type, BigInt(bits) | signBit(type)) : bits;
  }
  if (value.kind === 'inf') return infinity(type, value.negative, written);
  if (value.num === 0n) {
    if (!f.subnormals) throw new DTypeError(`${type.name} has no zero`);
    return signed(type, value.negative, 0n);
  }
  if (!f.subnormals) return encodeScale(type, value, written);
  const magnitude = roundRatio(f, value.num, value.den);
  return magnitude > f.maxFinite ? infinity(type, value.negative, written) : signed(type, value.negative, magnitude);
}

/** f8e8m0fnu holds only powers of two. Anything else is rejected, since "ties to even" means nothing without a fraction. */
function encodeScale(type: DType, value: Exact & { kind: 'ratio' }, written: string): Bits {
  const f = floatOf(type);
  const exponent = floorLog2(value.num, value.den);
  const magnitude = BigInt(exponent - minExponent(f));
  const exact = shift(value.num, -exponent) === shift(value.den, exponent);
  if (value.negative || !exact || magnitude < 0n || magnitude > f.maxFinite) {
    throw new DTypeError(`${written} is not a power of two that ${type.name} holds`);
  }
  return settle(type, magnitude);
}

/** Doubles to formats of at most 16 bits in plain number arithmetic; every step except the rounding is exact. */
function encodeSmallFloat(type: DType, f: FloatFormat, x: number): Bits {
  const negative = x < 0 || Object.is(x, -0);
  const magnitude = Math.abs(x);
  const emin = minExponent(f);
  const exponent = magnitude === 0 ? emin : Math.max(exponentOf(magnitude), emin);
  if (exponent > f.bias + 1) return infinity(type, negative, String(x));
  const scaled = magnitude * pow2(f.mantissa - exponent);
  const low = Math.floor(scaled);
  const rest = scaled - low;
  const n = rest > 0.5 || (rest === 0.5 && low % 2 === 1) ? low + 1 : low;
  const bits = (exponent - emin) * 2 ** f.mantissa + n;
  if (bits > Number(f.maxFinite)) return infinity(type, negative, String(x));
  if (!negative || (bits === 0 && f.nan === 'negative-zero')) return bits;
  return bits + 2 ** (type.bits - 1);
}

function encodeFloat(type: DType, value: Scalar): Bits {
  const f = floatOf(type);
  if (typeof value === 'number' && Number.isFinite(value)) {
    if (type.name === 'f64') {
      view.setFloat64(0, value);
      return view.getBigUint64(0);
    }
    if (type.name === 'f32') {
      view.setFloat32(0, value);
      return view.getUint32(0);
    }
    if (f.subnormals && f.signed) return encodeSmallFloat(type, f, value);
  }
  return encodeExactFloat(type, parseReal(value), String(value));
}

/** Smallest and largest value of an integer type. */
export function integerRange(type: DType): { min: bigint; max: bigint } {
  const n = BigInt(type.bits);
  if (type.kind === 'pred') return { min: 0n, max: 1n };
  return type.kind === 'signed'
    ? { min: -(1n << (n - 1n)), max: (1n << (n - 1n)) - 1n }
    : { min: 0n, max: (1n << n) - 1n };
}

function encodeInteger(type: DType, value: Scalar | bigint): Bits {
  const { min, max } = integerRange(type);
  let x: bigint;
  if (typeof value === 'bigint') x = value;
  else {
    const exact = parseReal(value);
    if (exact.kind !== 'ratio' || exact.num % exact.den !== 0n) {
      throw new DTypeError(`${value} is not an integer, as ${type.name} needs`);
    }
    x = (exact.num / exact.den) * (exact.negative ? -1n : 1n);
  }
  if (x < min || x > max) throw new DTypeError(`${x} is outside ${type.name}'s range [${min}, ${max}]`);
  return settle(type, BigInt.asUintN(type.bits, x));
}

/**
 * The bits of a value in a type: round to nearest, ties to even, in one step. Integers must be exact and in range. Overflow
 * gives infinity if the type has it, and is otherwise an error.
 */
export function encode(type: DType, value: Scalar | bigint | { re: Scalar; im: Scalar }): Bits {
  if (type.component) {
    const part = type.component;
    const { re, im } =
      typeof value === 'object' ? value : parseComplex(typeof value === 'bigint' ? String(value) : value);
    return BigInt(encode(part, re)) | (BigInt(encode(part, im)) << BigInt(part.bits));
  }
  if (typeof value === 'object') throw new DTypeError(`${type.name} cannot hold a complex value`);
  if (type.kind === 'float') return encodeFloat(type, typeof value === 'bigint' ? String(value) : value);
  return encodeInteger(type, value);
}

function decodeFloat(type: DType, bits: Bits): number {
  if (type.name === 'f64') {
    view.setBigUint64(0, BigInt(bits));
    return view.getFloat64(0);
  }
  if (type.name === 'f32') {
    view.setUint32(0, Number(bits));
    return view.getFloat32(0);
  }
  const f = floatOf(type);
  const raw = Number(bits);
  const span = 2 ** (f.exponent + f.mantissa);
  const magnitude = raw % span;
  const negative = f.signed && raw >= span;
  if (f.nan === 'negative-zero' && negative && magnitude === 0) return Number.NaN;
  const past = magnitude - Number(f.maxFinite);
  if (past > 0) {
    if (f.inf && past === 1) return negative ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    return Number.NaN;
  }
  const field = Math.floor(magnitude / 2 ** f.mantissa);
  const fraction = magnitude % 2 ** f.mantissa;
  const normal = !f.subnormals || field > 0;
  const exponent = normal ? field - f.bias : minExponent(f);
  const value = (fraction + (normal ? 2 ** f.mantissa : 0)) * pow2(exponent - f.mantissa);
  return negative ? -value : value;
}

/**
 * The value of element bits. Bits above the type's width are ignored (hosts differ in how they extend s4 and similar types).
 */
export function decode(type: DType, bits: Bits): Value {
  if (type.component) {
    const { bits: width } = type.component;
    const all = BigInt(bits);
    const part = (x: bigint): number => decodeFloat(type.component!, settle(type.component!, BigInt.asUintN(width, x)));
    return { re: part(all), im: part(all >> BigInt(width)) };
  }
  if (type.kind === 'pred') return BigInt(bits) === 0n ? 0 : 1;
  const own = type.bits <= 32 ? Number(bits) % 2 ** type.bits : bits;
  if (type.kind === 'float') return decodeFloat(type, own);
  if (type.bits === 64) return type.kind === 'signed' ? BigInt.asIntN(64, BigInt(own)) : BigInt(own);
  const raw = Number(own);
  return type.kind === 'signed' && raw >= 2 ** (type.bits - 1) ? raw - 2 ** type.bits : raw;
}
