/** Operations on elements of the same position. */
import { bound } from '../../../knowledge/numerics/bounds.ts';
import { dtype } from '../../../knowledge/numerics/dtypes.ts';
import { scalar } from '../../../knowledge/ops/text.ts';
import {
  type Fact,
  type FloatFact,
  type IntegerFact,
  integersOf,
  isComplex,
  isExact,
  isFloat,
  isInteger,
  isUnsigned,
  limitsOf,
  merged,
  partOf,
  result,
  stepAt,
  wrapped,
} from '../facts.ts';
import { need, needAll, sameShape, sameType, type TensorType } from '../ir.ts';
import type { Draft, Known, Profile, Rule } from '../rule.ts';

type Takes = (dtype: string) => boolean;
type FactOf = (operands: readonly Known[], result: TensorType, profile: Profile, op: string) => Fact;

const isPred: Takes = (d) => d === 'pred';
const either =
  (...takes: readonly Takes[]): Takes =>
  (d) =>
    takes.some((t) => t(d));
const isSigned: Takes = (d) => dtype(d).kind === 'signed';
const number = either(isInteger, isFloat, isComplex);

/** The fact of an operand that has to be a float, or a complex number. */
function float(value: Known | undefined): FloatFact {
  need(value?.fact.kind === 'float', 'needs floats');
  return value.fact;
}

function integer(value: Known | undefined): IntegerFact {
  need(value?.fact.kind === 'integer', 'needs integers');
  return value.fact;
}

/** The rounding error that a profile allows an operation with results of this magnitude. */
export function rounding(op: string, name: string, magnitude: number, profile: Profile, x = 0): number {
  const { ulp, growth = 0, atol = 0 } = bound(op, partOf(name), profile);
  return (ulp + Math.floor(growth * x) + 1) * stepAt(name, magnitude) + atol;
}

/** An exact result, or one that is rounded like a sum of so many terms, and by so much more. */
export function summed(
  op: string,
  name: string,
  fact: { lo: number; hi: number; magnitude: number; grid: number; error: number },
  profile: Profile,
  { terms = 1, more = 0 } = {},
): FloatFact {
  const { precision, lowestGrid } = limitsOf(name);
  const fits = fact.magnitude <= 2 ** (fact.grid + precision) && fact.grid >= lowestGrid && fact.error === 0;
  return result(
    name,
    fits ? fact : { ...fact, rounding: terms * rounding(op, name, fact.magnitude + fact.error, profile) + more },
  );
}

function addition(name: string, a: Fact, b: Fact, profile: Profile): Fact {
  if (a.kind === 'integer' && b.kind === 'integer') return wrapped(name, a.lo + b.lo, a.hi + b.hi);
  need(a.kind === 'float' && b.kind === 'float', 'different kinds');
  return summed(
    'add',
    name,
    {
      lo: a.lo + b.lo,
      hi: a.hi + b.hi,
      magnitude: a.magnitude + b.magnitude,
      grid: Math.min(a.grid, b.grid),
      error: a.error + b.error,
    },
    profile,
  );
}

/** The negative numbers, whether or not the type has them. */
const opposite = (a: Fact): Fact =>
  a.kind === 'integer' ? { ...a, lo: -a.hi, hi: -a.lo } : { ...a, lo: -a.hi, hi: -a.lo };

const extremes = <T extends number | bigint>(all: readonly T[]): { lo: T; hi: T } => ({
  lo: all.reduce((x, y) => (y < x ? y : x)),
  hi: all.reduce((x, y) => (y > x ? y : x)),
});

export function timesFact(name: string, a: Fact, b: Fact, profile: Profile): Fact {
  if (a.kind === 'integer' && b.kind === 'integer') {
    const { lo, hi } = extremes([a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi]);
    return wrapped(name, lo, hi);
  }
  need(a.kind === 'float' && b.kind === 'float', 'different kinds');
  const parts = isComplex(name) ? 2 : 1;
  const magnitude = parts * a.magnitude * b.magnitude;
  const corners = extremes([a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi]);
  return summed(
    'multiply',
    name,
    {
      ...(parts === 2 ? { lo: -magnitude, hi: magnitude } : corners),
      magnitude,
      grid: a.grid + b.grid,
      error: parts * (a.magnitude * b.error + b.magnitude * a.error + a.error * b.error),
    },
    profile,
    { terms: parts },
  );
}

/** Which operands a function is defined for, and well-behaved: those of an interval, or others. */
type Domain = readonly [lo: number, hi: number] | ((a: FloatFact) => boolean);
type Slope = (a: FloatFact) => number;

/** A function with these results at most, and a bound on its slope. */
const bounded =
  (limits: (a: FloatFact) => readonly number[], domain: Domain, slope: Slope): FactOf =>
  ([x], { dtype: name }, profile, op) => {
    const a = float(x);
    const isInside = typeof domain === 'function' ? domain(a) : a.lo >= domain[0] && a.hi <= domain[1];
    need(isInside, 'outside of the domain');
    const { lo, hi } = extremes(limits(a));
    const error = slope(a) * a.error;
    need(Number.isFinite(lo) && Number.isFinite(hi) && Number.isFinite(error), 'not finite');
    const magnitude = greatest(lo, hi);
    return result(name, {
      lo,
      hi,
      magnitude,
      error,
      rounding: rounding(op, name, magnitude, profile, greatest(a.lo, a.hi)),
    });
  };

const monotonic = (f: (x: number) => number, domain: Domain, slope: Slope): FactOf =>
  bounded(({ lo, hi }) => [f(lo), f(hi)], domain, slope);

/** A function whose results have known limits. */
const within = (limits: readonly [lo: number, hi: number], domain: Domain, slope: number): FactOf =>
  bounded(
    () => limits,
    domain,
    () => slope,
  );

const greatest = (lo: number, hi: number): number => Math.max(Math.abs(lo), Math.abs(hi));

/** Floor, ceiling and rounding: of whole numbers the number itself, of others one of their neighbors. */
const integral: FactOf = ([x], { dtype: name }) => {
  const a = float(x);
  need(isExact(a), 'needs exact values');
  if (a.grid >= 0) return a;
  return result(name, {
    lo: Math.floor(a.lo),
    hi: Math.ceil(a.hi),
    magnitude: Math.ceil(a.magnitude),
    grid: 0,
    error: 0,
  });
};

const all: FactOf = (_, { dtype: name }) => integersOf(name);

/** What an operation takes and gives, what is known of its result, and how often it is chosen. */
interface Elementwise {
  takes: Takes;
  gives?: (dtype: string) => string;
  fact: FactOf;
  weight?: number;
  /** Values for the second operand that make the operation valid. */
  second?(draft: Draft, name: string): (number | string)[];
}

const negation: FactOf = ([a], { dtype: name }) => {
  const fact = opposite(a!.fact);
  return fact.kind === 'integer' ? wrapped(name, fact.lo, fact.hi) : fact;
};

const absolute: FactOf = ([a], { dtype: name }) => {
  const { fact } = a!;
  if (fact.kind === 'float') return { ...fact, lo: Math.max(0, fact.lo), hi: Math.max(-fact.lo, fact.hi) };
  // The most negative number has no counterpart.
  need(fact.lo > integersOf(name).lo, 'overflows');
  return { kind: 'integer', lo: fact.lo > 0n ? fact.lo : 0n, hi: -fact.lo > fact.hi ? -fact.lo : fact.hi };
};

const signOf: FactOf = ([a], { dtype: name }) => {
  need(isExact(a!.fact), 'needs exact values');
  return isFloat(name)
    ? { kind: 'float', lo: -1, hi: 1, magnitude: 1, grid: 0, error: 0 }
    : { kind: 'integer', lo: -1n, hi: 1n };
};

const bitCount: FactOf = ([x]) => ({ kind: 'integer', lo: 0n, hi: BigInt(dtype(x!.type.dtype).bits) });
const own: FactOf = ([a]) => a!.fact;
/** Far enough from zero, and not too large. */
const POSITIVE = [2 ** -6, 2 ** 10] as const;
const rootDomain = (a: FloatFact): boolean => a.lo >= POSITIVE[0] || (a.lo >= 0 && a.error === 0);
const rootSlope: Slope = (a) => (a.error === 0 ? 0 : 0.5 / Math.sqrt(a.lo));
const inverseRoot = (x: number): number => 1 / Math.sqrt(x);

const UNARY: Readonly<Record<string, Elementwise>> = {
  negate: { takes: number, fact: negation, weight: 4 },
  abs: { takes: either(isSigned, isFloat), fact: absolute, weight: 4 },
  sign: { takes: either(isSigned, isFloat), fact: signOf, weight: 4 },
  not: { takes: either(isInteger, isPred), fact: all, weight: 4 },
  popcnt: { takes: isInteger, fact: bitCount },
  count_leading_zeros: { takes: isInteger, fact: bitCount },
  floor: { takes: isFloat, fact: integral },
  ceil: { takes: isFloat, fact: integral },
  round_nearest_even: { takes: isFloat, fact: integral },
  round_nearest_afz: { takes: isFloat, fact: integral },
  is_finite: { takes: isFloat, gives: () => 'pred', fact: () => ({ kind: 'integer', lo: 1n, hi: 1n }) },
  real: { takes: isComplex, gives: partOf, fact: own, weight: 6 },
  imag: { takes: isComplex, gives: partOf, fact: own, weight: 6 },
  exponential: { takes: isFloat, fact: monotonic(Math.exp, [-6, 6], (a) => Math.exp(a.hi)), weight: 3 },
  exponential_minus_one: { takes: isFloat, fact: monotonic(Math.expm1, [-6, 6], (a) => Math.exp(a.hi)) },
  log: { takes: isFloat, fact: monotonic(Math.log, POSITIVE, (a) => 1 / a.lo), weight: 2 },
  log_plus_one: { takes: isFloat, fact: monotonic(Math.log1p, [-0.9, 2 ** 10], (a) => 1 / (1 + a.lo)) },
  sqrt: { takes: isFloat, fact: monotonic(Math.sqrt, rootDomain, rootSlope), weight: 2 },
  rsqrt: { takes: isFloat, fact: monotonic(inverseRoot, POSITIVE, (a) => 0.5 * a.lo ** -1.5), weight: 2 },
  cbrt: { takes: isFloat, fact: monotonic(Math.cbrt, POSITIVE, (a) => (1 / 3) * a.lo ** (-2 / 3)) },
  sine: { takes: isFloat, fact: within([-1, 1], [-100, 100], 1), weight: 2 },
  cosine: { takes: isFloat, fact: within([-1, 1], [-100, 100], 1) },
  tan: { takes: isFloat, fact: monotonic(Math.tan, [-1, 1], () => 1 + Math.tan(1) ** 2) },
  tanh: { takes: isFloat, fact: within([-1, 1], [-50, 50], 1), weight: 2 },
  logistic: { takes: isFloat, fact: within([0, 1], [-50, 50], 0.25), weight: 2 },
};

const bitwise: FactOf = ([a, b], { dtype: name }) => {
  const [x, y] = [integer(a), integer(b)];
  // The bits of two numbers that are not negative have no sign either.
  if (x.lo < 0n || y.lo < 0n) return integersOf(name);
  let top = 1n;
  while (top <= x.hi || top <= y.hi) top *= 2n;
  return wrapped(name, 0n, top - 1n);
};

/** Divisors are not zero, and the most negative number is not divided by minus one. */
function divisors(name: string, a: IntegerFact, b: IntegerFact): void {
  need(b.lo > 0n || b.hi < 0n, 'division by zero');
  need(b.hi < -1n || b.lo > -1n || a.lo > integersOf(name).lo, 'overflows');
}

const quotient: FactOf = ([a, b], { dtype: name }, profile) => {
  if (a!.fact.kind === 'integer') {
    const [x, y] = [integer(a), integer(b)];
    divisors(name, x, y);
    const { lo, hi } = extremes([x.lo / y.lo, x.lo / y.hi, x.hi / y.lo, x.hi / y.hi, 0n]);
    return wrapped(name, lo, hi);
  }
  const [x, y] = [float(a), float(b)];
  const least = Math.max(y.lo, -y.hi);
  need(least >= 2 ** -4 && least - y.error > 0, 'division by little');
  const { lo, hi } = extremes([x.lo / y.lo, x.lo / y.hi, x.hi / y.lo, x.hi / y.hi]);
  const magnitude = Math.max(Math.abs(lo), Math.abs(hi));
  const error = x.error / least + (y.error * x.magnitude) / (least - y.error) ** 2;
  return result(name, { lo, hi, magnitude, error, rounding: rounding('divide', name, magnitude, profile) });
};

const remainder: FactOf = ([a, b], { dtype: name }) => {
  if (a!.fact.kind === 'integer') {
    const [x, y] = [integer(a), integer(b)];
    divisors(name, x, y);
    const most = (-y.lo > y.hi ? -y.lo : y.hi) - 1n;
    return wrapped(name, x.lo < 0n ? -most : 0n, x.hi > 0n ? most : 0n);
  }
  const [x, y] = [float(a), float(b)];
  need(isExact(x) && isExact(y), 'needs exact values');
  const least = Math.max(y.lo, -y.hi);
  need(least > 0 && x.magnitude / least < 2 ** 7, 'the quotient is too large');
  return result(name, {
    lo: x.lo < 0 ? -y.magnitude : 0,
    hi: x.hi > 0 ? y.magnitude : 0,
    magnitude: Math.max(x.magnitude, y.magnitude),
    grid: Math.min(x.grid, y.grid),
    error: 0,
  });
};

const extreme =
  (pick: (...numbers: number[]) => number, sign: 1n | -1n): FactOf =>
  ([a, b], { dtype: name }) => {
    const all = merged(name, a!.fact, b!.fact);
    if (all.kind === 'float') {
      const [x, y] = [float(a), float(b)];
      return { ...all, lo: pick(x.lo, y.lo), hi: pick(x.hi, y.hi) };
    }
    const [x, y] = [integer(a), integer(b)];
    const larger = (p: bigint, q: bigint): bigint => (sign * p > sign * q ? p : q);
    return { kind: 'integer', lo: larger(x.lo, y.lo), hi: larger(x.hi, y.hi) };
  };

/** Shifts by less than the width. */
const shifted: FactOf = ([, b], { dtype: name }) => {
  const { lo, hi } = integer(b);
  need(lo >= 0n && hi < BigInt(dtype(name).bits), 'shifts by the width');
  return integersOf(name);
};

const power: FactOf = ([a, b], { dtype: name }, profile) => {
  if (a!.fact.kind === 'integer') {
    const { lo, hi } = integer(b);
    need(lo >= 0n && hi <= 8n, 'needs small exponents');
    return integersOf(name);
  }
  const [x, y] = [float(a), float(b)];
  need(x.lo >= 0.25 && x.hi <= 16 && y.lo >= -3 && y.hi <= 3, 'outside of the domain');
  const { lo, hi } = extremes([x.lo ** y.lo, x.lo ** y.hi, x.hi ** y.lo, x.hi ** y.hi, 1]);
  const slope = 3 * x.error * (1 / x.lo) + Math.log(16) * y.error;
  return result(name, { lo, hi, magnitude: hi, error: hi * slope, rounding: rounding('power', name, hi, profile) });
};

const angle: FactOf = ([a, b], { dtype: name }, profile) => {
  const [y, x] = [float(a), float(b)];
  need(x.lo >= 2 ** -3, 'outside of the domain');
  const most = Math.PI / 2;
  return result(name, {
    lo: -most,
    hi: most,
    magnitude: most,
    error: (y.error + x.error) / x.lo,
    rounding: rounding('atan2', name, most, profile),
  });
};

const someOf = (draft: Draft, from: readonly (number | string)[]): (number | string)[] =>
  draft.random.shuffled(from).slice(0, draft.random.between(1, Math.min(6, from.length)));

const divisor = (draft: Draft, name: string): (number | string)[] => {
  const positive = [1, 2, 3, 5, 7, 16, 100];
  if (isUnsigned(name)) {
    // Above the middle of the type, where signed numbers are negative.
    const { hi } = integersOf(name);
    return someOf(draft, [...positive, String(hi), String(hi - hi / 4n), String(hi / 2n + 1n)]);
  }
  return someOf(draft, draft.random.once(2) ? positive : positive.map((x) => -x - 1));
};

const distance = (draft: Draft, name: string): (number | string)[] => {
  const { bits } = dtype(name);
  return someOf(draft, [0, 1, 2, 3, bits / 2, bits - 1]);
};

const BINARY: Readonly<Record<string, Elementwise>> = {
  add: { takes: number, fact: ([a, b], { dtype: name }, p) => addition(name, a!.fact, b!.fact, p), weight: 14 },
  subtract: {
    takes: number,
    fact: ([a, b], { dtype: name }, p) => addition(name, a!.fact, opposite(b!.fact), p),
    weight: 10,
  },
  multiply: { takes: number, fact: ([a, b], { dtype: name }, p) => timesFact(name, a!.fact, b!.fact, p), weight: 12 },
  divide: { takes: either(isInteger, isFloat), fact: quotient, weight: 6, second: divisor },
  remainder: { takes: either(isInteger, isFloat), fact: remainder, weight: 6, second: divisor },
  maximum: { takes: either(isInteger, isFloat, isPred), fact: extreme(Math.max, 1n), weight: 6 },
  minimum: { takes: either(isInteger, isFloat, isPred), fact: extreme(Math.min, -1n), weight: 6 },
  and: { takes: either(isInteger, isPred), fact: bitwise, weight: 6 },
  or: { takes: either(isInteger, isPred), fact: bitwise, weight: 6 },
  xor: { takes: either(isInteger, isPred), fact: bitwise, weight: 6 },
  shift_left: { takes: isInteger, fact: shifted, weight: 4, second: distance },
  shift_right_arithmetic: { takes: isInteger, fact: shifted, weight: 4, second: distance },
  shift_right_logical: { takes: isInteger, fact: shifted, weight: 4, second: distance },
  power: { takes: either(isInteger, isFloat), fact: power, weight: 2, second: (draft) => someOf(draft, [0, 1, 2, 3]) },
  atan2: { takes: isFloat, fact: angle, second: (draft) => someOf(draft, [0.25, 1, 2, 5]) },
  complex: {
    takes: (d) => d === 'f32',
    gives: () => 'c64',
    fact: ([a, b]) => merged('f32', a!.fact, b!.fact),
    weight: 3,
  },
};

const rule = (op: string, { takes, gives = (d) => d, fact, weight = 1 }: Elementwise): Omit<Rule, 'draft'> => ({
  weight,
  type: ([x, y]) => {
    need(y === undefined || sameType(x!, y), 'operands of different types');
    need(takes(x!.dtype), `${op} takes no ${x!.dtype}`);
    return { dtype: gives(x!.dtype), shape: x!.shape };
  },
  fact: (operands, _, type, profile) => fact(operands, type, profile, op),
});

const unaryRule = (op: string, row: Elementwise): Rule => ({
  ...rule(op, row),
  draft: (draft) => ({ operands: [draft.find(({ type }) => row.takes(type.dtype))] }),
});

/** A second operand of the type of a first. */
const partner = (draft: Draft, first: number): number => draft.make(draft.known(first).type);

const binaryRule = (op: string, row: Elementwise): Rule => ({
  ...rule(op, row),
  draft: (draft) => {
    const x = draft.find(({ type }) => row.takes(type.dtype));
    const { type } = draft.known(x);
    if (row.second && !draft.random.once(5))
      return { operands: [x, draft.makeOf(type, row.second(draft, type.dtype))] };
    const y = partner(draft, x);
    return { operands: draft.random.once(2) ? [x, y] : [y, x] };
  },
});

const DIRECTIONS = ['EQ', 'NE', 'LT', 'LE', 'GT', 'GE'] as const;

/** How values of a type are ordered. */
export const comparisonType = (name: string): string =>
  isFloat(name) || isComplex(name) ? 'FLOAT' : isUnsigned(name) || name === 'pred' ? 'UNSIGNED' : 'SIGNED';

const compare: Rule<{ direction: string }> = {
  weight: 10,
  draft: (draft) => {
    const x = draft.find(({ type, fact }) => !isComplex(type.dtype) && isExact(fact));
    return { operands: [x, partner(draft, x)], attributes: { direction: draft.random.pick(DIRECTIONS) } };
  },
  type: ([x, y]) => {
    need(sameType(x!, y!) && !isComplex(x!.dtype), 'operands of different types');
    return { dtype: 'pred', shape: x!.shape };
  },
  fact: (operands) => {
    needAll(operands, ({ fact }) => isExact(fact), 'needs exact values');
    return { kind: 'integer', lo: 0n, hi: 1n };
  },
  properties: ({ attributes }, printing) => [
    `compare_type = #stablehlo<comparison_type ${comparisonType(printing.types[0]!.dtype)}>`,
    `comparison_direction = #stablehlo<comparison_direction ${attributes.direction}>`,
  ],
};

const select: Rule = {
  weight: 8,
  draft: (draft) => {
    const x = draft.find(() => true);
    const { shape } = draft.known(x).type;
    const choice = draft.make({ dtype: 'pred', shape: draft.random.once(4) ? [] : shape });
    return { operands: [choice, x, partner(draft, x)] };
  },
  type: ([p, x, y]) => {
    need(p!.dtype === 'pred' && sameType(x!, y!), 'operands of different types');
    need(p!.shape.length === 0 || sameShape(p!.shape, x!.shape), 'choice of another shape');
    return x!;
  },
  fact: ([, x, y], _, { dtype: name }) => merged(name, x!.fact, y!.fact),
};

const clamp: Rule = {
  weight: 6,
  draft: (draft) => {
    const x = draft.find(({ type }) => isInteger(type.dtype) || isFloat(type.dtype));
    const { type } = draft.known(x);
    const limit = (): number => draft.make(draft.random.once(2) ? scalar(type.dtype) : type);
    return { operands: [limit(), x, limit()] };
  },
  type: ([lo, x, hi]) => {
    need(isInteger(x!.dtype) || isFloat(x!.dtype), `clamp takes no ${x!.dtype}`);
    const fits = ({ shape }: TensorType): boolean => shape.length === 0 || sameShape(shape, x!.shape);
    needAll([lo!, hi!], (limit) => limit.dtype === x!.dtype && fits(limit), 'other limits');
    return x!;
  },
  fact: ([lo, x, hi], _, { dtype: name }) => merged(name, lo!.fact, x!.fact, hi!.fact),
};

const convert: Rule<{ to: string }> = {
  weight: 10,
  draft: (draft) => {
    const x = draft.find(({ type }) => !isComplex(type.dtype));
    const real = draft.dtypes.filter((d) => !isComplex(d));
    need(real.length > 0, 'no real type');
    const to = draft.random.pick(real);
    return { operands: [x], attributes: { to } };
  },
  type: ([x], { attributes: { to } }) => {
    need(!isComplex(x!.dtype) && !isComplex(to), 'conversion of complex numbers');
    return { dtype: to, shape: x!.shape };
  },
  fact: ([x], _, { dtype: to }) => converted(x!, to),
};

function converted({ fact, type: { dtype: from } }: Known, to: string): Fact {
  if (to === 'pred') {
    need(isExact(fact), 'needs exact values');
    return { kind: 'integer', lo: 0n, hi: 1n };
  }
  if (fact.kind === 'integer') {
    if (!isFloat(to)) {
      const { lo, hi } = integersOf(to);
      need(fact.lo >= lo && fact.hi <= hi, 'out of range');
      return fact;
    }
    const [lo, hi] = [Number(fact.lo), Number(fact.hi)];
    return result(to, { lo, hi, magnitude: Math.max(-lo, hi, 1), grid: 0, error: 0 });
  }
  if (!isFloat(to)) {
    need(isExact(fact), 'needs exact values');
    const [lo, hi] = [Math.trunc(fact.lo), Math.trunc(fact.hi)];
    const range = integersOf(to);
    need(BigInt(lo) >= range.lo && BigInt(hi) <= range.hi, 'out of range');
    return { kind: 'integer', lo: BigInt(lo), hi: BigInt(hi) };
  }
  const wider = limitsOf(to).precision >= limitsOf(from).precision && limitsOf(to).largest >= limitsOf(from).largest;
  return wider ? fact : result(to, fact);
}

const bitcast: Rule<{ to: string }> = {
  weight: 2,
  draft: (draft) => {
    const x = draft.find(({ type }) => isInteger(type.dtype));
    const { dtype: name } = draft.known(x).type;
    return { operands: [x], attributes: { to: name.startsWith('s') ? `u${name.slice(1)}` : `s${name.slice(1)}` } };
  },
  type: ([x], { attributes: { to } }) => {
    need(isInteger(x!.dtype) && isInteger(to) && dtype(to).bits === dtype(x!.dtype).bits, 'another width');
    return { dtype: to, shape: x!.shape };
  },
  fact: (_, __, { dtype: to }) => integersOf(to),
};

const entries = (
  table: Readonly<Record<string, Elementwise>>,
  of: (op: string, row: Elementwise) => Rule,
): Record<string, Rule> => Object.fromEntries(Object.entries(table).map(([op, row]) => [op, of(op, row)]));

/** The rules by operation. */
export const ELEMENTWISE: Readonly<Record<string, Rule>> = {
  ...entries(UNARY, unaryRule),
  ...entries(BINARY, binaryRule),
  compare,
  select,
  clamp,
  convert,
  bitcast_convert: bitcast,
};
