/** Elementwise operations: arithmetic, comparison, selection, bits, rounding to integers, conversion. */
import { build, type HostArray, reader } from '../array.ts';
import { type Bits, decode, encode, integerRange } from '../codec.ts';
import { type DType, dtype } from '../dtypes.ts';
import { type Arithmetic, arithmeticOf, type Element } from './exact.ts';
import { demand, type Oracle, oracle, word } from './parameters.ts';

/** Whether a comparison holds, by its direction, of operands in this order. */
const HOLDS = {
  EQ: (order: number) => order === 0,
  NE: (order: number) => order !== 0,
  LT: (order: number) => order < 0,
  LE: (order: number) => order <= 0,
  GT: (order: number) => order > 0,
  GE: (order: number) => order >= 0,
};

const DIRECTIONS = Object.keys(HOLDS) as (keyof typeof HOLDS)[];

const sameShape = (args: readonly HostArray[]): readonly number[] => {
  const [first, ...rest] = args as [HostArray, ...HostArray[]];
  for (const other of rest) {
    demand(String(other.shape) === String(first.shape), `shapes [${first.shape}] and [${other.shape}] differ`);
  }
  return first.shape;
};

const sameType = (args: readonly HostArray[]): DType => {
  const names = new Set(args.map((a) => a.dtype.name));
  demand(names.size === 1, `operands have different types: ${[...names].join(', ')}`);
  return args[0]!.dtype;
};

/** A reader of decoded elements; a scalar repeats if `spread` is set. */
const elements = (array: HostArray, type: Arithmetic, spread = false): ((i: number) => Element) => {
  const read = reader(array);
  if (spread && array.shape.length === 0) {
    const only = type.decode(read(0));
    return () => only;
  }
  return (i) => type.decode(read(i));
};

/** An oracle that maps elements of operands with the same type and shape to one of that type. */
const mapped = (
  name: string,
  operands: number,
  compute: (t: Arithmetic, type: DType) => (...xs: Element[]) => Element,
): [string, Oracle] =>
  oracle(name, operands, [], (args) => {
    const type = sameType(args);
    const shape = sameShape(args);
    const arithmetic = arithmeticOf(type);
    const apply = compute(arithmetic, type);
    const [a, b] = args.map((array) => elements(array, arithmetic));
    // A function for each number of operands: a call with a list takes several times as long.
    return build(
      type,
      shape,
      b ? (i) => arithmetic.encode(apply(a!(i), b(i))) : (i) => arithmetic.encode(apply(a!(i))),
    );
  });

/** An oracle on raw bits of integers and pred; `apply` is also given the width. */
const bitwise = (
  name: string,
  operands: number,
  apply: (xs: readonly bigint[], width: number) => bigint,
): [string, Oracle] =>
  oracle(name, operands, [], (args) => {
    const type = sameType(args);
    demand(type.kind !== 'float' && type.kind !== 'complex', `${name} is not defined on ${type.name}`);
    const width = type.kind === 'pred' ? 1 : type.bits;
    const shape = sameShape(args);
    const sources = args.map(reader);
    return build(type, shape, (i) => {
      const operandBits = sources.map((at) => BigInt(at(i)));
      const bits = BigInt.asUintN(width, apply(operandBits, width));
      return type.bits <= 32 ? Number(bits) : bits;
    });
  });

const real = (name: string, compute: (x: number) => number): [string, Oracle] =>
  mapped(name, 1, (_, type) => {
    demand(type.kind === 'float', `${name} is defined on floats, not on ${type.name}`);
    return (x) => compute(x as number);
  });

const absolute = mapped('abs', 1, (t, type) => {
  demand(type.kind !== 'complex' && type.kind !== 'pred', `abs of ${type.name} is not among the exact operations`);
  return (x) =>
    typeof x === 'number' && type.kind === 'float' ? Math.abs(x) : t.compare(x, t.zero) < 0 ? t.negate(x) : x;
});

const sign = mapped('sign', 1, (t, type) => {
  demand(type.kind !== 'complex' && type.kind !== 'pred', `sign of ${type.name} is not among the exact operations`);
  if (type.kind === 'float') return (x) => Math.sign(x as number);
  return (x) => {
    const order = t.compare(x, t.zero);
    return order < 0 ? t.negate(t.one) : order > 0 ? t.one : t.zero;
  };
});

const compare = oracle('compare', 2, ['direction'], (args, parameters) => {
  const direction = word(parameters, 'direction', DIRECTIONS);
  const type = sameType(args);
  demand(type.kind !== 'complex' || direction === 'EQ' || direction === 'NE', `complex numbers have no order`);
  const arithmetic = arithmeticOf(type);
  const [a, b] = args.map((x) => elements(x, arithmetic)) as [(i: number) => Element, (i: number) => Element];
  const holds = HOLDS[direction];
  return build(dtype('pred'), sameShape(args), (i) => (holds(arithmetic.compare(a(i), b(i))) ? 1 : 0));
});

const select = oracle('select', 3, [], ([which, yes, no]) => {
  const type = sameType([yes!, no!]);
  demand(which!.dtype.name === 'pred', `the first operand of select is pred, not ${which!.dtype.name}`);
  const shape = sameShape([yes!, no!]);
  if (which!.shape.length > 0) sameShape([which!, yes!]);
  const pick = reader(which!);
  const [a, b] = [reader(yes!), reader(no!)];
  return build(type, shape, (i) => (pick(which!.shape.length > 0 ? i : 0) ? a(i) : b(i)));
});

const clamp = oracle('clamp', 3, [], (args) => {
  const type = sameType(args);
  const [low, operand, high] = args as [HostArray, HostArray, HostArray];
  for (const bound of [low, high]) if (bound.shape.length > 0) sameShape([bound, operand]);
  const t = arithmeticOf(type);
  const [min, at, max] = [elements(low, t, true), elements(operand, t), elements(high, t, true)];
  return build(type, operand.shape, (i) => t.encode(t.minimum(t.maximum(at(i), min(i)), max(i))));
});

/** Converts one element. Floats to integers truncate; out of range is undefined in the specification. */
function converted(from: DType, to: DType, bits: Bits, rounding: 'exact' | 'nearest-even'): Bits {
  const value = decode(from, bits);
  if (to.component) {
    const { re, im } = typeof value === 'object' ? value : { re: value, im: 0 };
    const part = to.component;
    const source = from.component ?? from;
    const low = typeof value === 'object' ? encode(source, re) : bits;
    const high = typeof value === 'object' ? encode(source, im) : encode(source, 0);
    return (
      BigInt(converted(source, part, low, rounding)) |
      (BigInt(converted(source, part, high, rounding)) << BigInt(part.bits))
    );
  }
  demand(typeof value !== 'object', `${from.name} cannot become ${to.name}: the imaginary part would be lost`);
  if (to.kind === 'pred') return value === 0 || value === 0n ? 0 : 1;
  if (to.kind === 'float') {
    const result = encode(to, typeof value === 'bigint' ? String(value) : value);
    if (rounding === 'exact') {
      const held = decode(to, result) as number;
      // biome-ignore lint/suspicious/noDoubleEquals: number and bigint compare by exact mathematical value.
      demand(held == value || (Number.isNaN(held) && Number.isNaN(value)), `${value} is not exact in ${to.name}`);
    }
    return result;
  }
  const { min, max } = integerRange(to);
  if (typeof value === 'number' && from.kind === 'float') {
    demand(Number.isFinite(value), `${value} has no defined conversion to ${to.name}`);
    const whole = BigInt(Math.trunc(value));
    demand(whole >= min && whole <= max, `${value} is outside ${to.name}: the result is not defined`);
    return encode(to, whole);
  }
  const wrapped = BigInt.asUintN(to.bits, BigInt(value));
  return to.bits <= 32 ? Number(wrapped) : wrapped;
}

const convert = oracle('convert', 1, ['dtype', 'rounding'], ([x], parameters) => {
  demand(typeof parameters.dtype === 'string', '"dtype" must name the type to convert to');
  const to = dtype(parameters.dtype);
  const rounding = word(parameters, 'rounding', ['exact', 'nearest-even'] as const, 'exact');
  const read = reader(x!);
  return build(to, x!.shape, (i) => converted(x!.dtype, to, read(i), rounding));
});

const distance = (by: bigint, width: number): bigint => (by < BigInt(width) ? by : BigInt(width));
const digits = (x: bigint, width: number): string => x.toString(2).padStart(width, '0');

/** What a quotient rounded towards zero leaves: it has the sign of the dividend. */
const remainder = mapped('remainder', 2, (t, type) => {
  demand(
    type.kind === 'signed' || type.kind === 'unsigned',
    `remainder of ${type.name} is not among the exact operations`,
  );
  return (a, b) => t.add(a!, t.negate(t.multiply(t.divide(a!, b!), b!)));
});

/** Element-wise oracles. */
export const ELEMENTWISE: [string, Oracle][] = [
  mapped('add', 2, (t) => (a, b) => t.add(a!, b!)),
  mapped('subtract', 2, (t) => (a, b) => t.add(a!, t.negate(b!))),
  mapped('multiply', 2, (t) => (a, b) => t.multiply(a!, b!)),
  mapped('divide', 2, (t) => (a, b) => t.divide(a!, b!)),
  mapped('maximum', 2, (t) => (a, b) => t.maximum(a!, b!)),
  mapped('minimum', 2, (t) => (a, b) => t.minimum(a!, b!)),
  mapped('negate', 1, (t) => (a) => t.negate(a!)),
  absolute,
  sign,
  real('floor', Math.floor),
  real('ceil', Math.ceil),
  compare,
  select,
  clamp,
  convert,
  remainder,
  bitwise('and', 2, ([a, b]) => a! & b!),
  bitwise('or', 2, ([a, b]) => a! | b!),
  bitwise('xor', 2, ([a, b]) => a! ^ b!),
  bitwise('not', 1, ([a]) => ~a!),
  // The distance is unsigned; from the width on every bit is shifted out.
  bitwise('shift_left', 2, ([a, by], width) => a! << distance(by!, width)),
  bitwise('shift_right_logical', 2, ([a, by], width) => a! >> distance(by!, width)),
  bitwise('shift_right_arithmetic', 2, ([a, by], width) => BigInt.asIntN(width, a!) >> distance(by!, width)),
  bitwise('popcnt', 1, ([a], width) => BigInt(digits(a!, width).replaceAll('0', '').length)),
  bitwise('count_leading_zeros', 1, ([a], width) => BigInt(`${digits(a!, width)}1`.indexOf('1'))),
];
