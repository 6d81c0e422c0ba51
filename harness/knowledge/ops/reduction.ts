/** The spaces of reductions, of windows and of sorts. */
import { alloc, build, elementCount, type HostArray, indexOf, reader, writer } from '../numerics/array.ts';
import { encode } from '../numerics/codec.ts';
import { dtype } from '../numerics/dtypes.ts';
import { hashOf } from '../numerics/hash.ts';
import { arithmeticOf } from '../numerics/oracles/exact.ts';
import { windowOf } from '../numerics/oracles/window.ts';
import { ORACLES } from '../numerics/oracles.ts';
import { COMBINED, COMBINERS, type Combiner, combined, MOVED, neutral, takes } from './combining.ts';
import {
  DIMENSIONS,
  dimensionsOf,
  exactly,
  filled,
  isFloat,
  operandOf,
  rankedOf,
  SHAPED,
  shapeOf,
  sizeOf,
  sizesOf,
  small,
  special,
  values,
} from './contents.ts';
import { legal, type Operand, type Space, space, type TensorType } from './space.ts';
import { arrayText, listText, operation, region, scalar } from './text.ts';

const REDUCERS = ['add', 'maximum', 'minimum', 'multiply', 'and', 'or', 'xor'] as const;
/** Beside negative or positive numbers alone zero, which memory may hold, would be the greatest or the least. */
const CONTENTS = ['small', 'special', 'negative-zero', 'negative', 'positive'] as const;
const DTYPES = ['f32', 's32', 'bf16', 'pred', 'u8', 'f64', 's8'] as const;

/** What is reduced, and the value that it begins with. */
function reduced(
  c: { combiner: Combiner; dtype: string; contents: (typeof CONTENTS)[number] },
  shape: readonly number[],
  seed: number,
): { operand: Operand; init: Operand } {
  const { combiner, dtype: name, contents } = c;
  legal(takes(combiner, name), `${name} has no ${combiner}`);
  const float = isFloat(name);
  legal(combiner !== 'multiply' || !float, 'products of floats are rounded');
  const type = { dtype: name, shape };
  if (contents === 'negative' || contents === 'positive') {
    legal(combiner === (contents === 'negative' ? 'maximum' : 'minimum'), 'zero is not beyond them');
    legal(contents === 'positive' || float || dtype(name).kind === 'signed', `${name} has no negative numbers`);
    const sign = contents === 'negative' ? -1 : 1;
    const of = [1, 3, 2, 4].map((n) => sign * (name === 'pred' ? 1 : n));
    return { operand: values(type, of, seed), init: filled(scalar(name), neutral(combiner, name)) };
  }
  legal(contents === 'small' || float, `${name} has no special values`);
  // Only of negative zeros alone is the sign of a sum the same in every order.
  const signed = contents === 'negative-zero' && combiner === 'add';
  const init = filled(scalar(name), signed ? '-0' : neutral(combiner, name));
  // Sums stay within the significand.
  if (contents === 'small') return { operand: small(type, seed, name.endsWith('f16') ? 1 : 4), init };
  return { operand: operandOf(type, contents, seed, false), init };
}

/** The initial value alone, which is the result where there is nothing to reduce. */
function everywhere(init: HostArray, shape: readonly number[]): HostArray {
  const value = reader(init)(0);
  return build(init.dtype, shape, () => value);
}

const compareOf = ({ contents }: { contents: string }) => (contents === 'negative-zero' ? MOVED : COMBINED);

const reduce = space(
  {
    ...SHAPED,
    dimensions: DIMENSIONS,
    operands: [1, 2, 3],
    combiner: REDUCERS,
    dtype: DTYPES,
    contents: CONTENTS,
  },
  (c) => {
    const shape = shapeOf(c);
    const dims = dimensionsOf(c.dimensions, shape.length);
    const dtypes = [c.dtype, 's32', isFloat(c.dtype) ? c.dtype : 'f32'].slice(0, c.operands);
    // The third begins with another value than the first, which has the same type.
    const combiners: Combiner[] = [c.combiner, c.combiner, c.combiner === 'maximum' ? 'minimum' : 'maximum'];
    const parts = dtypes.map((d, i) =>
      reduced({ dtype: d, combiner: combiners[i]!, contents: isFloat(d) ? c.contents : 'small' }, shape, i),
    );
    reduced(c, shape, 0);
    // Sums of 8 bits of significand.
    const terms = sizeOf(dims.map((d) => shape[d]!));
    legal(
      terms <= 250 || c.dtype !== 'bf16' || c.combiner !== 'add' || c.contents !== 'small',
      'sums of bf16 are rounded',
    );
    const operands = [...parts.map(({ operand }) => operand), ...parts.map(({ init }) => init)];
    const kept = shape.filter((_, d) => !dims.includes(d));
    const results: TensorType[] = dtypes.map((d) => ({ dtype: d, shape: kept }));
    return {
      // A reduction begins with a value that changes nothing.
      shares: shape.length > 0,
      operands,
      results,
      text: (names, name) =>
        operation('reduce', names, name, {
          types: operands,
          results,
          properties: [`dimensions = ${arrayText(dims)}`],
          regions: [combined(name, combiners, [...dtypes, ...dtypes].map(scalar))],
        }),
      expected: (arrays) =>
        dtypes.map((_, i) =>
          terms === 0
            ? everywhere(arrays[c.operands + i]!, kept)
            : signOfZeros(
                c.contents,
                arrays[i]!,
                ORACLES.reduce!([arrays[i]!], { op: COMBINERS[combiners[i]!], dimensions: dims }),
              ),
        ),
      compare: compareOf(c),
    };
  },
);

/** Sums of negative zeros are negative zeros; the oracle begins with a positive one. */
function signOfZeros(contents: string, operand: HostArray, result: HostArray): HostArray {
  if (contents !== 'negative-zero' || !operand.dtype.float) return result;
  const bits = encode(operand.dtype, '-0');
  return build(result.dtype, result.shape, () => bits);
}

const WINDOWS = {
  shape: [
    '4x5',
    '6',
    '1024',
    '2x513',
    '257x2',
    '2x130x3',
    '3x2x129',
    '130x2x2',
    '2x1x3x130',
    '2x2x3x2x5',
    '3x0',
    'scalar',
  ],
  window: ['two', 'one', 'full', 'mixed'],
  stride: [1, 2, 'beyond'],
  padding: ['none', 'same', 'low', 'high', 'wide'],
} as const;

type Windows = { readonly [K in keyof typeof WINDOWS]: (typeof WINDOWS)[K][number] };

function windowed(c: Windows, dilation = 1, base = 1) {
  const shape = sizesOf(c.shape);
  const window = shape.map(
    (n, d) =>
      ({ two: Math.min(2, Math.max(n, 1)), one: 1, full: Math.max(n, 1), mixed: d % 2 === 0 ? 1 : 3 })[c.window],
  );
  legal(sizeOf(window) <= 1100, 'windows out of proportion');
  const strides = shape.map((n) => (c.stride === 'beyond' ? n + 2 : c.stride));
  const reach = window.map((n) => (n - 1) * dilation);
  const padding = shape.map(
    (_, d) =>
      ({
        none: [0, 0],
        same: [Math.floor(reach[d]! / 2), Math.ceil(reach[d]! / 2)],
        low: [reach[d]!, 0],
        high: [0, reach[d]! + 1],
        wide: [4, 3],
      })[c.padding] as [number, number],
  );
  const parameters = {
    window,
    strides,
    padding: padding.flat(),
    base_dilation: shape.map(() => base),
    window_dilation: shape.map(() => dilation),
  };
  const moved = windowOf(parameters, shape, window, ['base_dilation', 'window_dilation']);
  legal(sizeOf(moved.shape) * sizeOf(window) <= 400_000, 'windows out of proportion');
  const pairs =
    shape.length === 0
      ? 'dense<> : tensor<0x2xi64>'
      : `dense<[${padding.map(listText).join(', ')}]> : tensor<${shape.length}x2xi64>`;
  return { shape, window, strides, padding, pairs, parameters, moved };
}

const reduceWindow = space(
  {
    ...WINDOWS,
    base: [1, 2],
    dilation: [1, 2],
    operands: [1, 2, 3],
    combiner: REDUCERS,
    dtype: DTYPES,
    contents: CONTENTS,
  },
  (c) => {
    const w = windowed(c, c.dilation, c.base);
    const oneSided = c.contents === 'negative' || c.contents === 'positive';
    legal(!oneSided || (c.padding !== 'none' && c.stride === 1), 'no window has both elements and padding');
    legal(!oneSided || c.operands === 1, 'the others have both signs');
    const dtypes = [c.dtype, 's32', isFloat(c.dtype) ? c.dtype : 'f32'].slice(0, c.operands);
    const parts = dtypes.map((d, i) =>
      reduced({ ...c, dtype: d, contents: isFloat(d) ? c.contents : 'small' }, w.shape, i),
    );
    reduced(c, w.shape, 0);
    legal(
      sizeOf(w.window) <= 250 || c.dtype !== 'bf16' || c.combiner !== 'add' || c.contents !== 'small',
      'sums of bf16 are rounded',
    );
    const operands = [...parts.map(({ operand }) => operand), ...parts.map(({ init }) => init)];
    const results = dtypes.map((d) => ({ dtype: d, shape: w.moved.shape }));
    return {
      shares: w.shape.length > 0,
      operands,
      results,
      text: (names, name) =>
        operation('reduce_window', names, name, {
          types: operands,
          results,
          properties: [
            `base_dilations = ${arrayText(w.parameters.base_dilation)}`,
            `padding = ${w.pairs}`,
            `window_dilations = ${arrayText(w.parameters.window_dilation)}`,
            `window_dimensions = ${arrayText(w.window)}`,
            `window_strides = ${arrayText(w.strides)}`,
          ],
          regions: [combined(name, c.combiner, [...dtypes, ...dtypes].map(scalar))],
        }),
      expected: (arrays) => dtypes.map((_, i) => windowsOf(c.combiner, arrays[i]!, arrays[c.operands + i]!, w.moved)),
      compare: compareOf(c),
    };
  },
);

/** Each window begins with the initial value, which also pads. */
function windowsOf(combiner: Combiner, x: HostArray, init: HostArray, w: ReturnType<typeof windowOf>): HostArray {
  const bit = combiner === 'and' || combiner === 'or' || combiner === 'xor';
  const [read, first] = [reader(x), reader(init)(0)];
  const places = (place: readonly number[]): number[] =>
    w.taps.flatMap((tap) => {
      const index = w.at(place, tap);
      return index ? [index.reduce((n, at, d) => n * x.shape[d]! + at, 0)] : [];
    });
  if (bit) {
    const join = {
      and: (a: bigint, b: bigint) => a & b,
      or: (a: bigint, b: bigint) => a | b,
      xor: (a: bigint, b: bigint) => a ^ b,
    }[combiner];
    return build(x.dtype, w.shape, (i) => {
      const bits = places(indexOf(w.shape, i)).reduce((all, at) => join(all, BigInt(read(at))), BigInt(first));
      return x.dtype.bits === 64 ? bits : Number(bits);
    });
  }
  const t = arithmeticOf(x.dtype);
  const join = { add: t.add, multiply: t.multiply, maximum: t.maximum, minimum: t.minimum }[combiner as 'add'];
  return build(x.dtype, w.shape, (i) =>
    t.encode(places(indexOf(w.shape, i)).reduce((all, at) => join(all, t.decode(read(at))), t.decode(first))),
  );
}

const selectAndScatter = space(
  { ...WINDOWS, select: ['GE', 'GT', 'LE'], combiner: ['add', 'maximum', 'minimum'], dtype: ['f32', 's32', 'f64'] },
  (c) => {
    const w = windowed(c);
    const { moved, shape } = w;
    // All different, so that one is selected whatever the order.
    const count = sizeOf(shape);
    const operand = exactly({ dtype: c.dtype, shape }, distinct(count));
    const placesOf = (place: readonly number[]): number[][] =>
      moved.taps.map((tap) => moved.at(place, tap)).filter((at) => at !== undefined);
    const source = { dtype: c.dtype, shape: moved.shape };
    legal(
      c.padding === 'none' ||
        Array.from({ length: elementCount(moved.shape) }, (_, i) => indexOf(moved.shape, i)).every((place) =>
          moved.taps.some((tap) => moved.at(place, tap)),
        ),
      'a window has padding alone',
    );
    const init = filled(scalar(c.dtype), neutral(c.combiner, c.dtype));
    const operands = [operand, small(source, 3, 2), init];
    const results = [{ dtype: c.dtype, shape }];
    const type = scalar(c.dtype);
    return {
      shares: false,
      operands,
      results,
      text: (names, name) =>
        operation('select_and_scatter', names, name, {
          types: operands,
          results,
          properties: [
            `padding = ${w.pairs}`,
            `window_dimensions = ${arrayText(w.window)}`,
            `window_strides = ${arrayText(w.strides)}`,
          ],
          regions: [comparing(`${name}_s`, c.select, [type, type]), combined(`${name}_t`, c.combiner, [type, type])],
        }),
      expected: ([x, s, first]) => {
        const [readX, readS] = [reader(x!), reader(s!)];
        const t = arithmeticOf(x!.dtype);
        const out = Array.from({ length: count }, () => t.decode(reader(first!)(0)));
        const sign = c.select === 'LE' ? -1 : 1;
        const join = { add: t.add, maximum: t.maximum, minimum: t.minimum }[c.combiner];
        const linear = (at: readonly number[]): number => at.reduce((n, k, d) => n * shape[d]! + k, 0);
        for (let i = 0; i < elementCount(moved.shape); i++) {
          const all = placesOf(indexOf(moved.shape, i)).map(linear);
          const best = all.reduce((a, b) => (sign * t.compare(t.decode(readX(b)), t.decode(readX(a))) > 0 ? b : a));
          out[best] = join(out[best]!, t.decode(readS(i)));
        }
        return [build(x!.dtype, shape, (i) => t.encode(out[i]!))];
      },
      compare: COMBINED,
    };
  },
);

const orders = new Map<number, number[]>();

/** The numbers below a count, in an order without pattern. */
function distinct(count: number): number[] {
  const at = hashOf(5);
  const order = orders.get(count) ?? Array.from({ length: count }, (_, i) => i).sort((a, b) => at(a) - at(b));
  orders.set(count, order);
  return order;
}

/** `SIGNED`, `FLOAT`, or as asked for. */
const comparisonOf = (name: string, total: boolean): string =>
  isFloat(name) ? (total ? 'TOTALORDER' : 'FLOAT') : dtype(name).kind === 'signed' ? 'SIGNED' : 'UNSIGNED';

/** A region that compares the first two of its parameters. */
const comparing = (prefix: string, direction: string, types: readonly TensorType[], total = false): string =>
  region(prefix, types, ([a, b]) => ({
    lines: [
      operation('compare', [a!, b!], `${prefix}_v`, {
        types: types.slice(0, 2),
        results: [scalar('pred')],
        properties: [
          `comparison_direction = #stablehlo<comparison_direction ${direction}>`,
          `compare_type = #stablehlo<comparison_type ${comparisonOf(types[0]!.dtype, total)}>`,
        ],
      }),
    ],
    returns: [`${prefix}_v`],
    types: [scalar('pred')],
  }));

const sort = space(
  {
    ...SHAPED,
    dimension: ['last', 'first', 'middle', 'minus-one'],
    operands: [1, 2, 3],
    stable: [true, false],
    direction: ['LT', 'GT'],
    keys: ['ties', 'distinct', 'special'],
    dtype: ['f32', 's32', 'bf16', 'u8', 'f64'],
    payload: ['f32', 's32', 'pred', 'bf16'],
  },
  (c) => {
    const shape = rankedOf(c);
    const [d] = dimensionsOf(c.dimension === 'minus-one' ? 'last' : c.dimension, shape.length) as [number];
    const type = { dtype: c.dtype, shape };
    const count = sizeOf(shape);
    legal(c.stable || c.keys === 'distinct' || c.operands === 1, 'equal keys in any order');
    legal(
      c.keys !== 'distinct' || !['bf16', 'u8'].includes(c.dtype) || count <= 120,
      'the type has not so many numbers',
    );
    const keys = {
      ties: () => small(type, 1, 3),
      distinct: () => exactly(type, distinct(count)),
      special: () => special(type, 1, false),
    }[c.keys]();
    // What is moved with the keys may be any number.
    const moved = { dtype: c.payload, shape };
    const payload = [
      isFloat(c.payload) ? special(moved, 2, true) : small(moved, 2, 9),
      small({ dtype: 's32', shape }, 3, 1000),
    ];
    const operands = [keys, ...payload].slice(0, c.operands);
    const results = operands.map(({ dtype: name }) => ({ dtype: name, shape }));
    const total = c.keys === 'special';
    return {
      operands,
      results,
      text: (names, name) =>
        operation('sort', names, name, {
          types: operands,
          results,
          properties: [`dimension = ${c.dimension === 'minus-one' ? -1 : d} : i64`, `is_stable = ${c.stable}`],
          regions: [
            comparing(
              name,
              c.direction,
              operands.flatMap(({ dtype: own }) => [scalar(own), scalar(own)]),
              total,
            ),
          ],
        }),
      expected: (arrays) => sorted(arrays, d, c.direction === 'LT' ? 1 : -1),
      compare: MOVED,
    };
  },
);

/** Arrays sorted by the first of them, which is ordered by all of its bits. */
function sorted(arrays: readonly HostArray[], dimension: number, sign: number): HostArray[] {
  const [keys] = arrays as [HostArray];
  const { shape } = keys;
  const read = reader(keys);
  const t = arithmeticOf(keys.dtype);
  const rank = (i: number): number | bigint =>
    keys.dtype.float ? totalOf(keys, BigInt(read(i))) : (t.decode(read(i)) as number | bigint);
  const step = sizeOf(shape.slice(dimension + 1));
  const outs = arrays.map((array) => alloc(array.dtype, shape));
  const writes = outs.map(writer);
  const reads = arrays.map(reader);
  for (let i = 0; i < elementCount(shape); i++) {
    if (Math.floor(i / step) % shape[dimension]! !== 0) continue;
    const line = Array.from({ length: shape[dimension]! }, (_, k) => i + k * step);
    const order = line
      .map((at) => ({ at, key: rank(at) }))
      .sort((a, b) => sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    order.forEach(({ at }, k) => {
      for (const [n, write] of writes.entries()) write(line[k]!, reads[n]!(at));
    });
  }
  return outs;
}

/** The place of a float among all floats of its type: negative ones in reverse. */
function totalOf({ dtype: { bits } }: HostArray, value: bigint): bigint {
  const half = 1n << BigInt(bits - 1);
  return value < half ? value : half - 1n - value;
}

/** The spaces by operation. */
export const REDUCTION: Readonly<Record<string, Space>> = {
  reduce,
  reduce_window: reduceWindow,
  select_and_scatter: selectAndScatter,
  sort,
};
