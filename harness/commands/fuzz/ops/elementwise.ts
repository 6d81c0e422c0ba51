/** Operations on elements of the same position. */
import { bound } from '../../../knowledge/numerics/bounds.ts';
import { dtype } from '../../../knowledge/numerics/dtypes.ts';
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
import { need, sameShape, sameType, type TensorType } from '../ir.ts';
import type { Draft, Known, Profile, Rule } from '../rule.ts';
import { scalar } from '../text.ts';

type Takes = (dtype: string) => boolean;
type FactOf = (operands: readonly Known[], result: TensorType, profile: Profile) => Fact;

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

function negation(name: string, a: Fact): Fact {
  if (a.kind === 'integer') return wrapped(name, -a.hi, -a.lo);
  return { ...a, lo: -a.hi, hi: -a.lo };
}

const extremes = <T extends number | bigint>(all: readonly T[]): { lo: T; hi: T } => ({
  lo: all.reduce((x, y) => (y < x ? y : x)),
  hi: all.reduce((x, y) => (y > x ? y : x)),
});

export function product(name: string, a: Fact, b: Fact, profile: Profile): Fact {
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

/** A monotonic function of rounding quality, with a bound on its slope. */
const monotonic =
  (op: string, f: (x: number) => number, domain: (a: FloatFact) => boolean, slope: (a: FloatFact) => number): FactOf =>
  ([x], { dtype: name }, profile) => {
    const a = float(x);
    need(domain(a), 'outside of the domain');
    const ends = [f(a.lo), f(a.hi)];
    return bounded(op, name, profile, a, { lo: Math.min(...ends), hi: Math.max(...ends) }, slope(a) * a.error);
  };

/** A function whose results have known limits. */
const within =
  (op: string, lo: number, hi: number, domain: (a: FloatFact) => boolean, slope: (a: FloatFact) => number): FactOf =>
  ([x], { dtype: name }, profile) => {
    const a = float(x);
    need(domain(a), 'outside of the domain');
    return bounded(op, name, profile, a, { lo, hi }, slope(a) * a.error);
  };

function bounded(
  op: string,
  name: string,
  profile: Profile,
  a: FloatFact,
  { lo, hi }: { lo: number; hi: number },
  error: number,
): FloatFact {
  need(Number.isFinite(lo) && Number.isFinite(hi) && Number.isFinite(error), 'not finite');
  const magnitude = Math.max(Math.abs(lo), Math.abs(hi));
  const x = Math.max(Math.abs(a.lo), Math.abs(a.hi));
  return result(name, { lo, hi, magnitude, error, rounding: rounding(op, name, magnitude, profile, x) });
}

const one = (): number => 1;
const upTo =
  (limit: number) =>
  (a: FloatFact): boolean =>
    a.lo >= -limit && a.hi <= limit;
const above =
  (least: number, most: number) =>
  (a: FloatFact): boolean =>
    a.lo >= least && a.hi <= most;

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

interface Unary {
  takes: Takes;
  gives?: (dtype: string) => string;
  fact: FactOf;
  weight?: number;
}

const UNARY: Readonly<Record<string, Unary>> = {
  negate: { takes: number, fact: ([a], { dtype: name }) => negation(name, a!.fact), weight: 4 },
  abs: {
    takes: either(isSigned, isFloat),
    fact: ([a], { dtype: name }) => {
      const { fact } = a!;
      if (fact.kind === 'integer') {
        // The most negative number has no counterpart.
        need(fact.lo > integersOf(name).lo, 'overflows');
        const most = -fact.lo > fact.hi ? -fact.lo : fact.hi;
        return { kind: 'integer', lo: fact.lo > 0n ? fact.lo : 0n, hi: most };
      }
      return { ...fact, lo: Math.max(0, fact.lo), hi: Math.max(-fact.lo, fact.hi) };
    },
    weight: 4,
  },
  sign: {
    takes: either(isSigned, isFloat),
    fact: ([a], { dtype: name }) => {
      need(isExact(a!.fact), 'needs exact values');
      return isFloat(name)
        ? { kind: 'float', lo: -1, hi: 1, magnitude: 1, grid: 0, error: 0 }
        : { kind: 'integer', lo: -1n, hi: 1n };
    },
    weight: 4,
  },
  not: { takes: either(isInteger, isPred), fact: all, weight: 4 },
  popcnt: { takes: isInteger, fact: ([x]) => ({ kind: 'integer', lo: 0n, hi: BigInt(dtype(x!.type.dtype).bits) }) },
  count_leading_zeros: {
    takes: isInteger,
    fact: ([x]) => ({ kind: 'integer', lo: 0n, hi: BigInt(dtype(x!.type.dtype).bits) }),
  },
  floor: { takes: isFloat, fact: integral },
  ceil: { takes: isFloat, fact: integral },
  round_nearest_even: { takes: isFloat, fact: integral },
  round_nearest_afz: { takes: isFloat, fact: integral },
  is_finite: { takes: isFloat, gives: () => 'pred', fact: () => ({ kind: 'integer', lo: 1n, hi: 1n }) },
  real: { takes: isComplex, gives: partOf, fact: ([a]) => a!.fact, weight: 6 },
  imag: { takes: isComplex, gives: partOf, fact: ([a]) => a!.fact, weight: 6 },
  exponential: {
    takes: isFloat,
    fact: monotonic('exponential', Math.exp, upTo(6), (a) => Math.exp(a.hi)),
    weight: 3,
  },
  exponential_minus_one: {
    takes: isFloat,
    fact: monotonic('exponential_minus_one', Math.expm1, upTo(6), (a) => Math.exp(a.hi)),
  },
  log: { takes: isFloat, fact: monotonic('log', Math.log, above(2 ** -6, 2 ** 10), (a) => 1 / a.lo), weight: 2 },
  log_plus_one: {
    takes: isFloat,
    fact: monotonic('log_plus_one', Math.log1p, above(-0.9, 2 ** 10), (a) => 1 / (1 + a.lo)),
  },
  sqrt: {
    takes: isFloat,
    fact: monotonic(
      'sqrt',
      Math.sqrt,
      (a) => a.lo >= 2 ** -6 || (a.lo >= 0 && a.error === 0),
      (a) => (a.error === 0 ? 0 : 0.5 / Math.sqrt(a.lo)),
    ),
    weight: 2,
  },
  rsqrt: {
    takes: isFloat,
    fact: monotonic(
      'rsqrt',
      (x) => 1 / Math.sqrt(x),
      above(2 ** -6, 2 ** 10),
      (a) => 0.5 * a.lo ** -1.5,
    ),
    weight: 2,
  },
  cbrt: {
    takes: isFloat,
    fact: monotonic('cbrt', Math.cbrt, above(2 ** -6, 2 ** 10), (a) => (1 / 3) * a.lo ** (-2 / 3)),
  },
  sine: { takes: isFloat, fact: within('sine', -1, 1, upTo(100), one), weight: 2 },
  cosine: { takes: isFloat, fact: within('cosine', -1, 1, upTo(100), one) },
  tan: { takes: isFloat, fact: monotonic('tan', Math.tan, upTo(1), () => 1 + Math.tan(1) ** 2) },
  tanh: { takes: isFloat, fact: within('tanh', -1, 1, upTo(50), one), weight: 2 },
  logistic: { takes: isFloat, fact: within('logistic', 0, 1, upTo(50), () => 0.25), weight: 2 },
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

interface Binary {
  takes: Takes;
  fact: FactOf;
  gives?: (dtype: string) => string;
  weight?: number;
  /** Values for the second operand that make the operation valid. */
  second?(draft: Draft, name: string): (number | string)[];
}

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

const BINARY: Readonly<Record<string, Binary>> = {
  add: { takes: number, fact: ([a, b], { dtype: name }, p) => addition(name, a!.fact, b!.fact, p), weight: 14 },
  subtract: {
    takes: number,
    fact: ([a, b], { dtype: name }, p) => addition(name, a!.fact, unwrapped(b!.fact), p),
    weight: 10,
  },
  multiply: { takes: number, fact: ([a, b], { dtype: name }, p) => product(name, a!.fact, b!.fact, p), weight: 12 },
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

/** The interval of the negative numbers, which the sum wraps. */
const unwrapped = (fact: Fact): Fact =>
  fact.kind === 'integer' ? { kind: 'integer', lo: -fact.hi, hi: -fact.lo } : { ...fact, lo: -fact.hi, hi: -fact.lo };

const unaryRule = (op: string, { takes, gives = (d) => d, fact, weight = 1 }: Unary): Rule => ({
  weight,
  draft: (draft) => {
    const x = draft.find(({ type }) => takes(type.dtype));
    return { operands: [x] };
  },
  type: ([x]) => {
    need(takes(x!.dtype), `${op} takes no ${x!.dtype}`);
    return { dtype: gives(x!.dtype), shape: x!.shape };
  },
  fact: (operands, _, type, profile) => fact(operands, type, profile),
});

/** A second operand of the type of a first. */
function partner(draft: Draft, first: number): number {
  const { type } = draft.known(first);
  return draft.make(type);
}

const binaryRule = (op: string, { takes, gives = (d) => d, fact, weight = 1, second }: Binary): Rule => ({
  weight,
  draft: (draft) => {
    const x = draft.find(({ type }) => takes(type.dtype));
    const { type } = draft.known(x);
    if (second && !draft.random.once(5)) return { operands: [x, draft.makeOf(type, second(draft, type.dtype))] };
    const y = partner(draft, x);
    return { operands: draft.random.once(2) ? [x, y] : [y, x] };
  },
  type: ([x, y]) => {
    need(sameType(x!, y!), 'operands of different types');
    need(takes(x!.dtype), `${op} takes no ${x!.dtype}`);
    return { dtype: gives(x!.dtype), shape: x!.shape };
  },
  fact: (operands, _, type, profile) => fact(operands, type, profile),
});

const DIRECTIONS = ['EQ', 'NE', 'LT', 'LE', 'GT', 'GE'] as const;

/** How values of a type are ordered. */
export const comparisonType = (name: string): string =>
  isFloat(name) || isComplex(name) ? 'FLOAT' : isUnsigned(name) || name === 'pred' ? 'UNSIGNED' : 'SIGNED';

const compare: Rule = {
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
    need(
      operands.every(({ fact }) => isExact(fact)),
      'needs exact values',
    );
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
    for (const limit of [lo!, hi!]) {
      need(limit.dtype === x!.dtype && (limit.shape.length === 0 || sameShape(limit.shape, x!.shape)), 'other limits');
    }
    return x!;
  },
  fact: ([lo, x, hi], _, { dtype: name }) => merged(name, lo!.fact, x!.fact, hi!.fact),
};

const convert: Rule = {
  weight: 10,
  draft: (draft) => {
    const x = draft.find(({ type }) => !isComplex(type.dtype));
    const real = draft.dtypes.filter((d) => !isComplex(d));
    need(real.length > 0, 'no real type');
    const to = draft.random.pick(real);
    return { operands: [x], attributes: { to } };
  },
  type: ([x], { attributes }) => {
    need(!isComplex(x!.dtype) && !isComplex(attributes.to as string), 'conversion of complex numbers');
    return { dtype: attributes.to as string, shape: x!.shape };
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

const bitcast: Rule = {
  weight: 2,
  draft: (draft) => {
    const x = draft.find(({ type }) => isInteger(type.dtype));
    const { dtype: name } = draft.known(x).type;
    return { operands: [x], attributes: { to: name.startsWith('s') ? `u${name.slice(1)}` : `s${name.slice(1)}` } };
  },
  type: ([x], { attributes }) => {
    const to = attributes.to as string;
    need(isInteger(x!.dtype) && isInteger(to) && dtype(to).bits === dtype(x!.dtype).bits, 'another width');
    return { dtype: to, shape: x!.shape };
  },
  fact: (_, __, { dtype: to }) => integersOf(to),
};

const entries = <T>(table: Readonly<Record<string, T>>, rule: (op: string, row: T) => Rule): Record<string, Rule> =>
  Object.fromEntries(Object.entries(table).map(([op, row]) => [op, rule(op, row)]));

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
