/**
 * What is known of the values of a tensor without computing them. From it follows whether a result is exact in every order
 * of evaluation, and if not, how far two valid plugins can be apart.
 */
import { decode } from '../../knowledge/numerics/codec.ts';
import { type DType, dtype } from '../../knowledge/numerics/dtypes.ts';
import { need } from './ir.ts';

/** Integers and pred: the closed interval of the values. */
export interface IntegerFact {
  kind: 'integer';
  lo: bigint;
  hi: bigint;
}

/** Floats, and each part of complex numbers. */
export interface FloatFact {
  kind: 'float';
  /** The closed interval of the values. */
  lo: number;
  hi: number;
  /** No sum or product on the way here was larger, in whatever order it was evaluated. */
  magnitude: number;
  /** All values are multiples of 2^grid; meaningful without an error only. */
  grid: number;
  /** How far the value of a valid plugin may be from the mathematical one. */
  error: number;
}

export type Fact = IntegerFact | FloatFact;

interface Limits {
  /** Bits of the significand. */
  precision: number;
  largest: number;
  lowestGrid: number;
  smallestNormal: number;
}

/** Far from the limits of the types, so that no regrouping of an expression overflows or becomes subnormal. */
const LIMITS: Readonly<Record<string, Limits>> = {
  f16: { precision: 11, largest: 2 ** 13, lowestGrid: -10, smallestNormal: 2 ** -14 },
  bf16: { precision: 8, largest: 2 ** 60, lowestGrid: -60, smallestNormal: 2 ** -126 },
  f32: { precision: 24, largest: 2 ** 60, lowestGrid: -60, smallestNormal: 2 ** -126 },
  // Three bits less than it has: facts are computed with doubles.
  f64: { precision: 50, largest: 2 ** 200, lowestGrid: -200, smallestNormal: 2 ** -1022 },
};

/** The type of the parts of complex numbers; of others the type itself. */
export const partOf = (name: string): string => dtype(name).component?.name ?? name;

export const limitsOf = (name: string): Limits => LIMITS[partOf(name)]!;

export const isFloat = (name: string): boolean => dtype(name).kind === 'float';
export const isComplex = (name: string): boolean => dtype(name).kind === 'complex';
export const isInteger = (name: string): boolean => ['signed', 'unsigned'].includes(dtype(name).kind);
export const isUnsigned = (name: string): boolean => dtype(name).kind === 'unsigned';

export const integersOf = (name: string): IntegerFact => {
  const { kind, bits } = dtype(name);
  const top = 1n << BigInt(bits);
  if (kind === 'pred') return { kind: 'integer', lo: 0n, hi: 1n };
  return kind === 'unsigned'
    ? { kind: 'integer', lo: 0n, hi: top - 1n }
    : { kind: 'integer', lo: -top / 2n, hi: top / 2n - 1n };
};

/** An interval of integers, which wraps to all of the type if it does not fit. */
export function wrapped(name: string, lo: bigint, hi: bigint): IntegerFact {
  const all = integersOf(name);
  return lo < all.lo || hi > all.hi ? all : { kind: 'integer', lo, hi };
}

/** The distance of neighboring numbers of a type at a magnitude. */
export const stepAt = (name: string, magnitude: number): number =>
  magnitude === 0 ? 0 : 2 ** (Math.floor(Math.log2(magnitude)) + 1 - significand(partOf(name)));

const significand = (name: string): number => dtype(name).float!.mantissa + 1;

/** Errors beyond this part of the magnitude hide too much to be of use. */
const USEFUL: Readonly<Record<string, number>> = { f16: 2 ** -4, bf16: 2 ** -3, f32: 2 ** -10, f64: 2 ** -16 };

/**
 * The fact of a result.
 * @param rounding the error that the operation adds if its result does not fit the type
 * @throws Invalid if it is too large or too uncertain to be of use
 */
export function result(
  name: string,
  fact: { lo: number; hi: number; magnitude: number; grid?: number; error: number; rounding?: number },
): FloatFact {
  const { precision, largest, lowestGrid, smallestNormal } = limitsOf(name);
  const { lo, hi, grid = 0, error } = fact;
  const magnitude = Math.max(fact.magnitude, Math.abs(lo), Math.abs(hi));
  need(magnitude <= largest, 'too large');
  const exact = error === 0 && fact.rounding === undefined;
  if (exact && grid >= lowestGrid && magnitude <= 2 ** (grid + precision)) {
    return { kind: 'float', lo, hi, magnitude, grid, error: 0 };
  }
  const more = (fact.rounding ?? stepAt(name, magnitude)) + smallestNormal;
  const total = error + more;
  need(total <= magnitude * USEFUL[partOf(name)]!, 'too uncertain');
  return { kind: 'float', lo: lo - more, hi: hi + more, magnitude: magnitude + more, grid: 0, error: total };
}

export const isExact = (fact: Fact): boolean => fact.kind === 'integer' || fact.error === 0;

/** Values that come from either of two. */
export function union(a: Fact, b: Fact): Fact {
  if (a.kind === 'integer' && b.kind === 'integer') {
    return { kind: 'integer', lo: a.lo < b.lo ? a.lo : b.lo, hi: a.hi > b.hi ? a.hi : b.hi };
  }
  need(a.kind === 'float' && b.kind === 'float', 'different kinds');
  return {
    kind: 'float',
    lo: Math.min(a.lo, b.lo),
    hi: Math.max(a.hi, b.hi),
    magnitude: Math.max(a.magnitude, b.magnitude),
    grid: Math.min(a.grid, b.grid),
    error: Math.max(a.error, b.error),
  };
}

/** The union, checked for the type: mixed grids may need more bits than it has, which then means nothing is lost but exactness. */
export function merged(name: string, ...facts: readonly Fact[]): Fact {
  const all = facts.reduce(union);
  if (all.kind === 'integer' || all.error > 0) return all;
  const { precision } = limitsOf(name);
  need(all.magnitude <= 2 ** (all.grid + precision), 'too wide');
  return all;
}

/** Both parts of an element as numbers; integers as they are. */
function partsOf(type: DType, bits: number | bigint): (number | bigint)[] {
  const value = decode(type, bits);
  return typeof value === 'object' ? [value.re, value.im] : [value];
}

/** The exponent of the last bit of a number. */
function gridOf(x: number): number {
  let grid = Math.floor(Math.log2(Math.abs(x)));
  while (!Number.isInteger(x / 2 ** grid)) grid--;
  return grid;
}

/** What is known of given elements. */
export function factOf(name: string, bits: Iterable<number | bigint>): Fact {
  const type = dtype(name);
  if (type.kind !== 'float' && type.kind !== 'complex') {
    let [lo, hi]: [bigint?, bigint?] = [];
    for (const b of bits) {
      const value = BigInt(partsOf(type, b)[0]!);
      if (lo === undefined || value < lo) lo = value;
      if (hi === undefined || value > hi) hi = value;
    }
    return { kind: 'integer', lo: lo ?? 0n, hi: hi ?? 0n };
  }
  let [lo, hi, grid] = [Infinity, -Infinity, Infinity];
  for (const b of bits) {
    for (const part of partsOf(type, b)) {
      const x = Number(part);
      need(Number.isFinite(x), 'not finite');
      lo = Math.min(lo, x);
      hi = Math.max(hi, x);
      if (x !== 0) grid = Math.min(grid, gridOf(x));
    }
  }
  if (lo > hi) [lo, hi] = [0, 0];
  return { kind: 'float', lo, hi, ...sizeAndGrid(Math.max(-lo, hi), grid), error: 0 };
}

/** A factor of no more than its grid must not let a product look smaller than its other factors. */
const sizeAndGrid = (largest: number, grid: number): Pick<FloatFact, 'magnitude' | 'grid'> =>
  Number.isFinite(grid) ? { magnitude: Math.max(largest, 2 ** grid), grid } : { magnitude: 1, grid: 0 };

/** Whether a value keeps to what is known of it; NaN never does. */
export function holds(fact: Fact, type: DType, bits: number | bigint): boolean {
  return partsOf(type, bits).every((value) => {
    if (fact.kind === 'integer') return BigInt(value) >= fact.lo && BigInt(value) <= fact.hi;
    const x = Number(value);
    return x >= fact.lo && x <= fact.hi && (fact.error > 0 || x === 0 || Number.isInteger(x / 2 ** fact.grid));
  });
}
