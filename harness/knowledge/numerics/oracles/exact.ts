/** Arithmetic that is exact or throws: doubles with checked rounding error, wrapping integers, complex pairs. */
import { type Bits, decode, encode } from '../codec.ts';
import type { DType } from '../dtypes.ts';
import { formatDecimal } from '../format-value.ts';
import { demand, OracleError } from './parameters.ts';

/** A complex number of doubles. */
interface Complex {
  re: number;
  im: number;
}

/** An element during computation. */
export type Element = number | bigint | Complex;

/** The operations of one element type. `compare` is NaN when unordered. */
export interface Arithmetic<T = Element> {
  zero: T;
  one: T;
  decode(bits: Bits): T;
  /** Throws unless the type holds the value exactly. */
  encode(value: T): Bits;
  add(a: T, b: T): T;
  multiply(a: T, b: T): T;
  /** Float: only if the quotient is exact. Integer: towards zero. */
  divide(a: T, b: T): T;
  negate(a: T): T;
  maximum(a: T, b: T): T;
  minimum(a: T, b: T): T;
  compare(a: T, b: T): number;
}

const SPLIT = 2 ** 27 + 1;

/** Rounding error of the double product a·b (Veltkamp and Dekker); exact unless something overflows or underflows. */
function productError(a: number, b: number, p: number): number {
  const ca = SPLIT * a;
  const ah = ca - (ca - a);
  const al = a - ah;
  const cb = SPLIT * b;
  const bh = cb - (cb - b);
  const bl = b - bh;
  return al * bl - (p - ah * bh - al * bh - ah * bl);
}

/** Rounding error of the double sum a+b (Knuth). */
export function sumError(a: number, b: number, s: number): number {
  const bb = s - a;
  return a - (s - bb) + (b - bb);
}

const finite = (...xs: number[]): boolean => xs.every(Number.isFinite);

/** a+b, or an error if a double cannot hold it. NaN and infinity among the operands follow IEEE 754. */
function exactAdd(a: number, b: number): number {
  const s = a + b;
  // The usual case first: nothing that is not finite is involved.
  if (sumError(a, b, s) === 0) return s;
  if (finite(a, b) && (!finite(s) || sumError(a, b, s) !== 0))
    throw new OracleError(`${a} + ${b} is not exact in a double`);
  return s;
}

/** a·b, or an error if a double cannot hold it. */
function exactMultiply(a: number, b: number): number {
  const p = a * b;
  if (!finite(a, b) || p === 0) {
    demand(p !== 0 || a === 0 || b === 0, `${a} * ${b} underflows a double`);
    return p;
  }
  const small = Number.isInteger(a) && Number.isInteger(b) && Math.abs(p) <= 2 ** 53;
  if (small) return p;
  const safe = Math.abs(a) < 2 ** 500 && Math.abs(b) < 2 ** 500 && Math.abs(p) > 2 ** -900;
  if (!safe || productError(a, b, p) !== 0) throw new OracleError(`${a} * ${b} is not exact in a double`);
  return p;
}

const encodeExactly = (type: DType, value: number): Bits => {
  const bits = encode(type, value);
  const held = decode(type, bits) as number;
  if (held !== value && !(Number.isNaN(held) && Number.isNaN(value))) {
    throw new OracleError(
      `${value} is not exact in ${type.name}; the nearest it holds is ${formatDecimal(type, bits)}`,
    );
  }
  return bits;
};

const word = new Uint32Array(1);
const single = new Float32Array(word.buffer);

/** The coding of f32 without detours: large arrays have this type. */
const singles = {
  decode: (bits: Bits): number => {
    word[0] = bits as number;
    return single[0]!;
  },
  encode: (type: DType, value: number): Bits => {
    if (Math.fround(value) !== value) return encodeExactly(type, value);
    single[0] = value;
    return word[0]!;
  },
};

const floats = (type: DType): Arithmetic<number> => ({
  zero: 0,
  one: 1,
  decode: type.name === 'f32' ? singles.decode : (bits) => decode(type, bits) as number,
  encode: type.name === 'f32' ? (value) => singles.encode(type, value) : (value) => encodeExactly(type, value),
  add: exactAdd,
  multiply: exactMultiply,
  divide: (a, b) => {
    const q = a / b;
    if (finite(a, b) && b !== 0 && exactMultiply(q, b) !== a) throw new OracleError(`${a} / ${b} is not exact`);
    return q;
  },
  negate: (a) => -a,
  // Math.max and Math.min are IEEE 754 maximum and minimum: NaN wins, and -0 is below +0.
  maximum: (a, b) => Math.max(a, b),
  minimum: (a, b) => Math.min(a, b),
  compare: (a, b) => (a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN),
});

const bigints = (type: DType): Arithmetic<bigint> => {
  const wrap = (x: bigint): bigint =>
    type.kind === 'signed' ? BigInt.asIntN(type.bits, x) : BigInt.asUintN(type.bits, x);
  return {
    zero: 0n,
    one: 1n,
    decode: (bits) => BigInt(decode(type, bits) as number | bigint),
    encode: (value) => encode(type, value),
    add: (a, b) => wrap(a + b),
    multiply: (a, b) => wrap(a * b),
    divide: (a, b) => {
      demand(b !== 0n, 'division of an integer by zero is not defined');
      const q = a / b;
      demand(wrap(q) === q, `${a} / ${b} overflows ${type.name}, which is not defined`);
      return q;
    },
    negate: (a) => wrap(-a),
    maximum: (a, b) => (a > b ? a : b),
    minimum: (a, b) => (a < b ? a : b),
    compare: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
  };
};

/** Integers of at most 32 bits as numbers: the same rules as `bigints`, several times as fast. */
const integers32 = (type: DType): Arithmetic<number> => {
  const mask = 2 ** type.bits - 1;
  const unused = 32 - type.bits;
  const wrap: (x: number) => number = type.kind === 'signed' ? (x) => (x << unused) >> unused : (x) => (x & mask) >>> 0;
  const base = bigints(type);
  return {
    zero: 0,
    one: 1,
    decode: (bits) => wrap(Number(bits)),
    // What comes out of the other functions is always in range.
    encode: (value) => (value & mask) >>> 0,
    add: (a, b) => wrap((a + b) | 0),
    multiply: (a, b) => wrap(Math.imul(a, b)),
    divide: (a, b) => Number(base.divide(BigInt(a), BigInt(b))),
    negate: (a) => wrap(-a | 0),
    maximum: (a, b) => Math.max(a, b),
    minimum: (a, b) => Math.min(a, b),
    compare: (a, b) => Math.sign(a - b),
  };
};

/** StableHLO's booleans: addition and maximum are "or", multiplication and minimum are "and". */
const booleans = (type: DType): Arithmetic<number> => ({
  ...integers32(type),
  add: (a, b) => a | b,
  multiply: (a, b) => a & b,
  divide: () => {
    throw new OracleError('pred cannot be divided');
  },
  negate: () => {
    throw new OracleError('pred cannot be negated');
  },
});

const unordered = (): never => {
  throw new OracleError('complex numbers have no order and are not divided here');
};

const complexes = (type: DType): Arithmetic<Complex> => {
  const part = floats(type.component!);
  return {
    zero: { re: 0, im: 0 },
    one: { re: 1, im: 0 },
    decode: (bits) => decode(type, bits) as Complex,
    encode: ({ re, im }) => BigInt(part.encode(re)) | (BigInt(part.encode(im)) << BigInt(type.component!.bits)),
    add: (a, b) => ({ re: exactAdd(a.re, b.re), im: exactAdd(a.im, b.im) }),
    multiply: (a, b) => ({
      re: exactAdd(exactMultiply(a.re, b.re), -exactMultiply(a.im, b.im)),
      im: exactAdd(exactMultiply(a.re, b.im), exactMultiply(a.im, b.re)),
    }),
    divide: unordered,
    negate: (a) => ({ re: -a.re, im: -a.im }),
    maximum: unordered,
    minimum: unordered,
    compare: (a, b) => (a.re === b.re && a.im === b.im ? 0 : Number.NaN),
  };
};

/** The exact arithmetic of a type. */
export function arithmeticOf(type: DType): Arithmetic {
  // The dtype fixes the element type: values never move from one arithmetic to another.
  const of = <T extends Element>(a: Arithmetic<T>): Arithmetic => a as unknown as Arithmetic;
  if (type.component) return of(complexes(type));
  if (type.kind === 'float') return of(floats(type));
  if (type.kind === 'pred') return of(booleans(type));
  return type.bits === 64 ? of(bigints(type)) : of(integers32(type));
}

/** Largest power of two, at most 1, that divides x. */
function quantumOf(x: number): number {
  let q = 1;
  for (let y = Math.abs(x); Number.isFinite(y) && !Number.isInteger(y); y *= 2) q /= 2;
  return q;
}

/**
 * A sum that must be the same in every order and in every accumulator at least as precise as `type`: the sum of magnitudes,
 * counted in the terms' common quantum, stays within the type's contiguous integers.
 */
export class OrderFreeSum {
  private readonly arithmetic: Arithmetic;
  private readonly limit: number;
  private readonly type: DType;
  private total: Element;
  private magnitude = 0;
  private quantum = 1;

  constructor(type: DType) {
    this.type = type;
    this.arithmetic = arithmeticOf(type);
    this.total = this.arithmetic.zero;
    const real = type.component ?? type;
    this.limit = real.float ? 2 ** (real.float.mantissa + 1) : Number.POSITIVE_INFINITY;
  }

  private weigh(x: number): void {
    this.magnitude += Math.abs(x);
    if (!Number.isInteger(x)) this.quantum = Math.min(this.quantum, quantumOf(x));
  }

  add(term: Element): void {
    this.total = this.arithmetic.add(this.total, term);
    if (this.limit === Number.POSITIVE_INFINITY) return;
    if (typeof term === 'number') this.weigh(term);
    else if (typeof term === 'object') {
      this.weigh(term.re);
      this.weigh(term.im);
    }
  }

  /** The sum of the products of pairs; both parts of a complex product are checked. */
  addProduct(a: Element, b: Element): void {
    const product = this.arithmetic.multiply(a, b);
    if (typeof a === 'object' && typeof b === 'object') {
      const most = (Math.abs(a.re) + Math.abs(a.im)) * (Math.abs(b.re) + Math.abs(b.im));
      this.magnitude += most;
      this.quantum = Math.min(this.quantum, quantumOf(a.re) * quantumOf(b.re), quantumOf(a.im) * quantumOf(b.im));
      this.total = this.arithmetic.add(this.total, product);
      return;
    }
    this.add(product);
  }

  /** The sum; throws if some order or precision could give a different one. */
  value(): Element {
    if (Number.isFinite(this.magnitude) && this.magnitude / this.quantum > this.limit) {
      throw new OracleError(
        `magnitudes add up to ${this.magnitude} in steps of ${this.quantum}: more than ${this.type.name} sums exactly in ` +
          `every order (${this.limit} steps); use smaller values or fewer terms`,
      );
    }
    return this.total;
  }
}
