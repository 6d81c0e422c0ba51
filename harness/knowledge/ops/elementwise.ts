/** The spaces of operations on the elements at one place: by type, shape, where operands come from, and special values. */
import { build, type HostArray, reader } from '../numerics/array.ts';
import { bound } from '../numerics/bounds.ts';
import { decode, encode } from '../numerics/codec.ts';
import type { Compare } from '../numerics/data.ts';
import { dtype } from '../numerics/dtypes.ts';
import { ORACLES } from '../numerics/oracles.ts';
import { COMBINED, MOVED } from './combining.ts';
import { CONTENTS, filled, isFloat, operandOf, SHAPED, shapeOf, small, values } from './contents.ts';
import { type Form, legal, type Operand, type Space, space, type TensorType } from './space.ts';
import { operation } from './text.ts';

const FLOATS = ['f32', 'bf16', 'f64', 'f16'] as const;
const INTEGERS = ['s32', 'u8', 's64', 'u16'] as const;
const ORDERED = ['f32', 's32', 'bf16', 'u8', 's64', 'f64'] as const;
const ANY = [...ORDERED, 'c64'] as const;
const BITS = ['s32', 'pred', 'u8', 's64'] as const;

/** What the second operand is everywhere, beside special values. */
const BESIDE = ['beside-zero', 'beside-one'] as const;

/** A form with one result. */
function elementwise(
  op: string,
  operands: readonly Operand[],
  result: TensorType,
  properties: readonly string[],
  expected: (arrays: readonly HostArray[]) => HostArray,
  compare: Compare,
): Form {
  return {
    operands,
    results: [result],
    text: (names, name) => operation(op, names, name, { types: operands, results: [result], properties }),
    expected: (arrays) => [expected(arrays)],
    compare,
  };
}

/** Operations that are exact on small numbers. Where special values have a meaning in every type, they are among the contents. */
function exact(
  op: string,
  count: number,
  dtypes: readonly string[],
  {
    contents = ['small'],
    seconds = small,
  }: {
    contents?: readonly (typeof CONTENTS | typeof BESIDE)[number][];
    seconds?: (type: TensorType, seed: number) => Operand;
  } = {},
): Space {
  return space({ ...SHAPED, dtype: dtypes, contents }, (c) => {
    const type = { dtype: c.dtype, shape: shapeOf(c) };
    const [beside] = BESIDE.filter((one) => one === c.contents);
    const operands = Array.from({ length: count }, (_, i) => {
      if (beside)
        return i > 0
          ? filled(type, beside === 'beside-one' ? 1 : 0)
          : operandOf(type, dtypes.some(isFloat) ? 'special' : 'small', 1, false);
      return i === 0 || c.contents !== 'small'
        ? operandOf(type, c.contents as (typeof CONTENTS)[number], i + 1, false)
        : seconds(type, i + 1);
    });
    const form = elementwise(op, operands, type, [], (arrays) => ORACLES[op]!([...arrays], {}), COMBINED);
    return { ...form, shares: seconds === small };
  });
}

/** Divisors: powers of two, so that quotients are exact. */
const powers = (type: TensorType, seed: number): Operand => values(type, [1, 2, 4], seed);
/** Distances within every width. */
const distances = (type: TensorType, seed: number): Operand => values(type, [0, 1, 3, 7], seed);

/** Functions of one number, where they are tame; the bounds are those of the accuracy profiles. */
const FUNCTIONS: Readonly<Record<string, { of: (x: number) => number; at: readonly string[] }>> = {
  cbrt: { of: Math.cbrt, at: ['8', '-1', '0.5', '27', '3'] },
  cosine: { of: Math.cos, at: ['0', '1', '-2', '0.5', '0.25'] },
  exponential: { of: Math.exp, at: ['0', '1', '-2', '0.5', '3'] },
  exponential_minus_one: { of: Math.expm1, at: ['0', '1', '-2', '0.5', '3'] },
  log: { of: Math.log, at: ['1', '2', '8', '0.25', '3'] },
  log_plus_one: { of: Math.log1p, at: ['0', '1', '8', '0.25', '3'] },
  logistic: { of: (x) => 1 / (1 + Math.exp(-x)), at: ['0', '1', '-2', '0.5', '3'] },
  rsqrt: { of: (x) => 1 / Math.sqrt(x), at: ['1', '2', '4', '0.25', '3'] },
  sine: { of: Math.sin, at: ['0', '1', '-2', '0.5', '0.25'] },
  sqrt: { of: Math.sqrt, at: ['1', '2', '4', '0.25', '3'] },
  tan: { of: Math.tan, at: ['0', '1', '-0.75', '0.5', '0.25'] },
  tanh: { of: Math.tanh, at: ['0', '1', '-2', '0.5', '3'] },
};

/** The bound of the loosest profile, and what the reference itself may err: which result is right is for other suites to say. */
function loosely(op: string, name: string): Compare {
  const { ulp, growth = 0, atol, source } = bound(op, name, 'relaxed');
  return { ulp: ulp + 8 * growth + 2, ...(atol === undefined ? {} : { atol }), zero: 'unsigned', source };
}

const rounded = (array: HostArray, of: (...at: number[]) => number, ...more: readonly HostArray[]): HostArray => {
  const reads = [array, ...more].map(reader);
  return build(array.dtype, array.shape, (i) =>
    encode(array.dtype, of(...reads.map((read) => decode(array.dtype, read(i)) as number))),
  );
};

const functions = Object.entries(FUNCTIONS).map(([op, { of, at }]): [string, Space] => [
  op,
  space({ ...SHAPED, dtype: FLOATS }, (c) => {
    const type = { dtype: c.dtype, shape: shapeOf(c) };
    return elementwise(op, [values(type, at, 1)], type, [], ([x]) => rounded(x!, of), loosely(op, c.dtype));
  }),
]);

const ofTwo = (op: string, of: (x: number, y: number) => number, bases: readonly string[]): [string, Space] => [
  op,
  space({ ...SHAPED, dtype: FLOATS }, (c) => {
    const type = { dtype: c.dtype, shape: shapeOf(c) };
    const operands = [values(type, bases, 1), values(type, ['1', '2', '0.5', '3'], 2)];
    return elementwise(op, operands, type, [], ([x, y]) => rounded(x!, of, y!), loosely(op, c.dtype));
  }),
];

const DIRECTIONS = ['LT', 'EQ', 'NE', 'LE', 'GT', 'GE'] as const;

const compare = space(
  {
    ...SHAPED,
    direction: DIRECTIONS,
    type: ['fitting', 'absent', 'total'],
    dtype: [...ORDERED, 'pred', 'c64'],
    contents: CONTENTS,
  },
  (c) => {
    const { kind } = dtype(c.dtype);
    const total = c.type === 'total';
    legal(!total || kind === 'float', 'only floats have a total order');
    legal(kind !== 'complex' || c.direction === 'EQ' || c.direction === 'NE', 'complex numbers have no order');
    const type = { dtype: c.dtype, shape: shapeOf(c) };
    // The orders differ in nothing but special values.
    const contents = total && c.contents === 'small' ? 'special' : c.contents;
    const operands = [
      operandOf(type, contents, 1, false),
      operandOf(type, contents === 'negative-zero' ? 'small' : contents, 2, false),
    ];
    const fitting = { float: 'FLOAT', complex: 'FLOAT', signed: 'SIGNED', unsigned: 'UNSIGNED', pred: 'UNSIGNED' }[
      kind
    ];
    const properties = [
      ...(c.type === 'absent' ? [] : [`compare_type = #stablehlo<comparison_type ${total ? 'TOTALORDER' : fitting}>`]),
      `comparison_direction = #stablehlo<comparison_direction ${c.direction}>`,
    ];
    const result = { dtype: 'pred', shape: type.shape };
    return elementwise(
      'compare',
      operands,
      result,
      properties,
      (arrays) => {
        // In the total order all bits count: they are compared as integers.
        const keyed = total ? arrays.map(totalKeys) : arrays;
        return ORACLES.compare!([...keyed], { direction: c.direction });
      },
      MOVED,
    );
  },
);

/** Integers in the order in which the total order has floats. */
function totalKeys(array: HostArray): HostArray {
  const { bits } = array.dtype;
  const read = reader(array);
  const half = 1n << BigInt(bits - 1);
  return build(dtype(`s${bits}`), array.shape, (i) => {
    const value = BigInt(read(i));
    const key = value < half ? value : half - 1n - value;
    return encode(dtype(`s${bits}`), key);
  });
}

const select = space({ ...SHAPED, predicate: ['same', 'scalar'], dtype: [...ANY, 'pred'], contents: CONTENTS }, (c) => {
  const type = { dtype: c.dtype, shape: shapeOf(c) };
  const which = small({ dtype: 'pred', shape: c.predicate === 'scalar' ? [] : type.shape }, 3);
  const operands = [which, operandOf(type, c.contents, 1, true), operandOf(type, c.contents, 2, true)];
  return elementwise('select', operands, type, [], (arrays) => ORACLES.select!([...arrays], {}), MOVED);
});

const clamp = space(
  { ...SHAPED, low: ['same', 'scalar'], high: ['same', 'scalar'], crossed: [false, true], dtype: ORDERED },
  (c) => {
    const type = { dtype: c.dtype, shape: shapeOf(c) };
    const bounds = (how: 'same' | 'scalar') => ({ dtype: c.dtype, shape: how === 'scalar' ? [] : type.shape });
    // The upper bound decides where it is the lower of the two.
    const low = values(bounds(c.low), c.crossed ? [3, 4] : [0, 1], 2);
    const high = values(bounds(c.high), [2, 3], 3);
    return elementwise(
      'clamp',
      [low, small(type, 1, 6), high],
      type,
      [],
      (arrays) => ORACLES.clamp!([...arrays], {}),
      COMBINED,
    );
  },
);

const convert = space(
  { ...SHAPED, dtype: [...ANY, 'pred'], to: ['s32', 'f32', 'pred', 'bf16', 'u8', 'f64', 's64', 'c64'] },
  (c) => {
    const from = dtype(c.dtype);
    const to = dtype(c.to);
    legal(from.kind !== 'complex' || to.kind === 'complex', 'the imaginary part would be lost');
    const type = { dtype: c.dtype, shape: shapeOf(c) };
    // Numbers that every type has.
    const operand = values(type, from.kind === 'pred' ? [1, 0] : [0, 1, 2, 5, 100], 1);
    const result = { dtype: c.to, shape: type.shape };
    return elementwise('convert', [operand], result, [], ([x]) => ORACLES.convert!([x!], { dtype: c.to }), COMBINED);
  },
);

const bitcast = space(
  {
    ...SHAPED,
    pair: [
      'f32-s32',
      's32-f32',
      'u32-s32',
      'bf16-u16',
      's16-f16',
      's8-u8',
      'f64-s64',
      'u64-f64',
      'f32-u8',
      'u8-f32',
      's64-s32',
      'u16-u32',
      's32-s8',
      'c64-c64',
    ],
  },
  (c) => {
    const [from, to] = c.pair.split('-') as [string, string];
    const shape = shapeOf(c);
    const [wide, narrow] = [dtype(from).bits, dtype(to).bits];
    const inner = Math.max(1, narrow / wide);
    const operand = small(
      { dtype: from, shape: inner > 1 ? [...shape.slice(0, 4), inner] : shape.slice(0, wide > narrow ? 4 : 5) },
      1,
      100,
    );
    const own = operand.shape;
    const result = {
      dtype: to,
      shape: wide > narrow ? [...own, wide / narrow] : inner > 1 ? own.slice(0, -1) : [...own],
    };
    return elementwise(
      'bitcast_convert',
      [operand],
      result,
      [],
      ([x]) => ({ ...x!, dtype: dtype(to), shape: result.shape }),
      MOVED,
    );
  },
);

const reducePrecision = space(
  { ...SHAPED, dtype: ['f32', 'f64', 'f16', 'bf16'], exponent: [5, 8, 4, 11], mantissa: [10, 7, 2, 52, 1, 23] },
  (c) => {
    const type = { dtype: c.dtype, shape: shapeOf(c) };
    // Each is a number in every format.
    const operand = values(type, [1, -1, 0, 2, 1.5, -3], 1);
    const properties = [`exponent_bits = ${c.exponent} : i32`, `mantissa_bits = ${c.mantissa} : i32`];
    return elementwise('reduce_precision', [operand], type, properties, ([x]) => x!, COMBINED);
  },
);

const finite = space({ ...SHAPED, dtype: FLOATS, contents: CONTENTS }, (c) => {
  const type = { dtype: c.dtype, shape: shapeOf(c) };
  const result = { dtype: 'pred', shape: type.shape };
  return elementwise(
    'is_finite',
    [operandOf(type, c.contents, 1, true)],
    result,
    [],
    ([x]) => {
      const read = reader(x!);
      return build(dtype('pred'), x!.shape, (i) => (Number.isFinite(decode(x!.dtype, read(i)) as number) ? 1 : 0));
    },
    MOVED,
  );
});

/** Complex numbers and their parts: the parts of an element lie side by side. */
const complexOf = space({ ...SHAPED, dtype: ['f32', 'f64'], contents: CONTENTS }, (c) => {
  const type = { dtype: c.dtype, shape: shapeOf(c) };
  const result = { dtype: c.dtype === 'f32' ? 'c64' : 'c128', shape: type.shape };
  return elementwise(
    'complex',
    [operandOf(type, c.contents, 1, true), operandOf(type, c.contents, 2, true)],
    result,
    [],
    ([re, im]) => {
      const [a, b] = [reader(re!), reader(im!)];
      const width = BigInt(re!.dtype.bits);
      return build(dtype(result.dtype), re!.shape, (i) => BigInt(a(i)) | (BigInt(b(i)) << width));
    },
    MOVED,
  );
});

const partOf = (op: 'real' | 'imag'): Space =>
  space({ ...SHAPED, dtype: ['c64', 'c128', 'f32', 'f64'] }, (c) => {
    const { component } = dtype(c.dtype);
    const type = { dtype: c.dtype, shape: shapeOf(c) };
    const result = { dtype: component?.name ?? c.dtype, shape: type.shape };
    return elementwise(
      op,
      [small(type, 1)],
      result,
      [],
      ([x]) => {
        const read = reader(x!);
        const width = component?.bits ?? 0;
        const part = (bits: bigint): bigint => (op === 'imag' ? bits >> BigInt(width) : BigInt.asUintN(width, bits));
        const settled = (bits: bigint) => (width <= 32 ? Number(bits) : bits);
        return build(dtype(result.dtype), x!.shape, (i) =>
          component ? settled(part(BigInt(read(i)))) : op === 'real' ? read(i) : encode(x!.dtype, 0),
        );
      },
      COMBINED,
    );
  });

const EXTREMES = { contents: CONTENTS };
/** Compilers make something simpler of an operation with zero or one. */
const SIMPLER = { contents: [...CONTENTS, ...BESIDE] };

/** The spaces by operation. */
export const ELEMENTWISE: Readonly<Record<string, Space>> = {
  abs: exact(
    'abs',
    1,
    ORDERED.filter((name) => !name.startsWith('u')),
    EXTREMES,
  ),
  negate: exact('negate', 1, ANY),
  sign: exact(
    'sign',
    1,
    ORDERED.filter((name) => !name.startsWith('u')),
  ),
  floor: exact('floor', 1, FLOATS, EXTREMES),
  ceil: exact('ceil', 1, FLOATS, EXTREMES),
  not: exact('not', 1, BITS),
  popcnt: exact('popcnt', 1, INTEGERS),
  count_leading_zeros: exact('count_leading_zeros', 1, INTEGERS),
  add: exact('add', 2, [...ANY, 'pred'], SIMPLER),
  subtract: exact('subtract', 2, ANY, SIMPLER),
  multiply: exact('multiply', 2, [...ANY, 'pred'], SIMPLER),
  divide: exact('divide', 2, ORDERED, { seconds: powers }),
  remainder: exact('remainder', 2, INTEGERS, { seconds: powers }),
  maximum: exact('maximum', 2, [...ORDERED, 'pred'], SIMPLER),
  minimum: exact('minimum', 2, [...ORDERED, 'pred'], SIMPLER),
  and: exact('and', 2, BITS, { contents: ['small', ...BESIDE] }),
  or: exact('or', 2, BITS, { contents: ['small', ...BESIDE] }),
  xor: exact('xor', 2, BITS, { contents: ['small', ...BESIDE] }),
  shift_left: exact('shift_left', 2, INTEGERS, { seconds: distances }),
  shift_right_logical: exact('shift_right_logical', 2, INTEGERS, { seconds: distances }),
  shift_right_arithmetic: exact('shift_right_arithmetic', 2, INTEGERS, { seconds: distances }),
  ...Object.fromEntries(functions),
  ...Object.fromEntries([
    ofTwo('power', (x, y) => x ** y, ['1', '2', '4', '0.25']),
    ofTwo('atan2', Math.atan2, ['0', '1', '-2', '0.5']),
  ]),
  compare,
  select,
  clamp,
  convert,
  bitcast_convert: bitcast,
  reduce_precision: reducePrecision,
  is_finite: finite,
  complex: complexOf,
  real: partOf('real'),
  imag: partOf('imag'),
};
