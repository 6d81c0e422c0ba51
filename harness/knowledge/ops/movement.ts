/** The spaces of operations that move elements and compute none. */
import { build, type HostArray, indexOf } from '../numerics/array.ts';
import { encode } from '../numerics/codec.ts';
import type { Compare } from '../numerics/data.ts';
import { dtype } from '../numerics/dtypes.ts';
import { ORACLES } from '../numerics/oracles.ts';
import { MOVED } from './combining.ts';
import {
  CONTENTS,
  DIMENSIONS,
  dimensionsOf,
  ORDERS,
  operandOf,
  orderOf,
  rankedOf,
  SHAPED,
  shapeOf,
  sizeOf,
  sizesOf,
} from './contents.ts';
import { type Form, legal, type Operand, type Space, space } from './space.ts';
import { arrayText, operation } from './text.ts';

const DTYPES = ['f32', 's32', 'pred', 'bf16', 'f64', 'c64'] as const;

const CARRIED = { dtype: DTYPES, contents: CONTENTS } as const;

type Carried = { readonly dtype: (typeof DTYPES)[number]; readonly contents: (typeof CONTENTS)[number] };

const operandFor = ({ dtype, contents }: Carried, shape: readonly number[], seed = 1): Operand =>
  operandOf({ dtype, shape }, contents, seed, true);

/** A form with one result of the type of its first operand. */
function moving(
  op: string,
  operands: readonly Operand[],
  shape: readonly number[],
  properties: readonly string[],
  oracle: Record<string, unknown>,
): Form {
  const results = [{ dtype: operands[0]!.dtype, shape }];
  return {
    operands,
    results,
    text: (names, name) => operation(op, names, name, { types: operands, results, properties }),
    expected: (arrays) => [ORACLES[op]!([...arrays], oracle)],
    compare: MOVED,
  };
}

const transpose = space(
  { ...SHAPED, order: ORDERS, ...CARRIED },
  (c) => {
    const shape = shapeOf(c);
    const permutation = orderOf(c.order, shape.length);
    const result = permutation.map((d) => shape[d]!);
    return moving('transpose', [operandFor(c, shape)], result, [`permutation = ${arrayText(permutation)}`], {
      permutation,
    });
  },
  ['rank', 'extent', 'order'],
);

const GROUPINGS = ['flat', 'same', 'ones-around', 'ones-between', 'merged', 'split', 'reversed'] as const;

const reshape = space({ ...SHAPED, to: GROUPINGS, ...CARRIED }, (c) => {
  const shape = shapeOf(c);
  const size = sizeOf(shape);
  const ways: Record<(typeof GROUPINGS)[number], () => number[]> = {
    flat: () => [size],
    same: () => shape,
    'ones-around': () => [1, ...shape, 1],
    'ones-between': () => shape.flatMap((n, d) => (d === 0 ? [n] : [1, n])).slice(0, 6),
    merged: () => (shape.length > 1 ? [shape[0]! * shape[1]!, ...shape.slice(2)] : shape),
    split: () => (shape.length > 0 && shape[0]! % 2 === 0 ? [2, shape[0]! / 2, ...shape.slice(1)] : [1, 1, ...shape]),
    reversed: () => [...shape].reverse(),
  };
  const to = sizeOf(ways[c.to]()) === size ? ways[c.to]() : [size];
  return moving('reshape', [operandFor(c, shape)], to, [], { shape: to });
});

const broadcast = space(
  {
    shape: [
      '3x4',
      'scalar',
      '5',
      '513',
      '2x257',
      '257x2',
      '3x2x130',
      '2x130x3',
      '130x1x2',
      '1x2x1x3',
      '2x0',
      '1',
      '3x3x3',
      '3x257x2',
    ],
    // Of the size of a dimension of the operand: then a wrong place has the right shape.
    added: ['first', 'none', 'last', 'middle', 'around', 'large-first', 'large-last', 'equal-first', 'equal-last'],
    order: ['usual', 'reversed', 'rotated'],
    stretched: [false, true],
    ...CARRIED,
  },
  (c) => {
    const from = sizesOf(c.shape);
    const rank = from.length;
    const middle = Math.floor(rank / 2);
    const [first = 2, last = first] = [from[0], from.at(-1)];
    const sides = {
      ...{ none: [[], []], first: [[2], []], last: [[], [3]], middle: [[], []], around: [[2], [3]] },
      ...{
        'large-first': [[130], []],
        'large-last': [[], [131]],
        'equal-first': [[last], []],
        'equal-last': [[], [first]],
      },
    } satisfies Record<typeof c.added, [number[], number[]]>;
    const [before, after] = sides[c.added];
    const order = orderOf(c.order, rank);
    // The dimensions of the operand, in the order in which they are in the result.
    const own = order.map((d) => (c.stretched && from[d] === 1 ? 7 : from[d]!));
    const inner = c.added === 'middle' ? own.toSpliced(middle, 0, 3) : own;
    const shape = [...before, ...inner, ...after];
    const place = (d: number): number => {
      const at = order.indexOf(d);
      return before.length + at + (c.added === 'middle' && at >= middle ? 1 : 0);
    };
    legal(!c.stretched || from.includes(1), 'no dimension of one element');
    legal(shape.length <= 5, 'a rank beyond 5');
    const dims = from.map((_, d) => place(d));
    return moving('broadcast_in_dim', [operandFor(c, from)], shape, [`broadcast_dimensions = ${arrayText(dims)}`], {
      shape,
      dims,
    });
  },
);

const slice = space(
  {
    ...SHAPED,
    start: ['inside', 'zero', 'end'],
    limit: ['inside', 'full', 'start'],
    stride: [1, 2, 3, 'beyond'],
    ...CARRIED,
  },
  (c) => {
    const shape = shapeOf(c);
    const starts = shape.map((n) => ({ inside: Math.min(1, n), zero: 0, end: n })[c.start]);
    const limits = shape.map((n, d) => ({ inside: Math.max(starts[d]!, n - 1), full: n, start: starts[d]! })[c.limit]);
    const strides = shape.map((n) => (c.stride === 'beyond' ? n + 5 : c.stride));
    const result = starts.map((from, d) => Math.ceil((limits[d]! - from) / strides[d]!));
    const properties = [
      `limit_indices = ${arrayText(limits)}`,
      `start_indices = ${arrayText(starts)}`,
      `strides = ${arrayText(strides)}`,
    ];
    return moving('slice', [operandFor(c, shape)], result, properties, { start: starts, limit: limits, strides });
  },
);

const concatenate = space(
  {
    ...SHAPED,
    operands: [2, 1, 3, 9],
    dimension: ['first', 'last', 'middle'],
    sizes: ['same', 'different', 'with-empty', 'all-empty'],
    ...CARRIED,
  },
  (c) => {
    const shape = rankedOf(c);
    const [dimension] = dimensionsOf(c.dimension, shape.length) as [number];
    const size = (i: number): number =>
      ({ same: shape[dimension]!, different: i + 1, 'with-empty': i % 2 === 0 ? 0 : 2, 'all-empty': 0 })[c.sizes];
    const operands = Array.from({ length: c.operands }, (_, i) => operandFor(c, shape.with(dimension, size(i)), i));
    const whole = operands.reduce((n, { shape: own }) => n + own[dimension]!, 0);
    return moving('concatenate', operands, shape.with(dimension, whole), [`dimension = ${dimension} : i64`], {
      dimension,
    });
  },
);

const EDGES = [0, 2, -1, 'one-side'] as const;

const pad = space({ ...SHAPED, low: EDGES, high: EDGES, interior: [0, 1, 3], ...CARRIED }, (c) => {
  const shape = shapeOf(c);
  // `one-side`: the dimensions differ.
  const of = (edge: (typeof EDGES)[number], d: number): number => (edge === 'one-side' ? (d % 2 === 0 ? 0 : 3) : edge);
  const low = shape.map((_, d) => of(c.low, d));
  const high = shape.map((_, d) => of(c.high, d + 1));
  const interior = shape.map(() => c.interior);
  const result = shape.map((n, d) => n + Math.max(n - 1, 0) * c.interior + low[d]! + high[d]!);
  legal(result.every((n) => n >= 0) && sizeOf(result) < 60_000, 'a size below zero, or one out of proportion');
  const properties = [
    `edge_padding_high = ${arrayText(high)}`,
    `edge_padding_low = ${arrayText(low)}`,
    `interior_padding = ${arrayText(interior)}`,
  ];
  const operands = [operandFor(c, shape), operandFor(c, [], 9)];
  return moving('pad', operands, result, properties, { low, high, interior });
});

const reverse = space({ ...SHAPED, dimensions: DIMENSIONS, ...CARRIED }, (c) => {
  const shape = shapeOf(c);
  const dimensions = dimensionsOf(c.dimensions, shape.length);
  return moving('reverse', [operandFor(c, shape)], shape, [`dimensions = ${arrayText(dimensions)}`], { dimensions });
});

/** How a number is rounded that a type does not hold, the specification does not say. */
const ROUNDED: Compare = { ulp: 1, source: 'StableHLO specification, iota' };

/** The index along a dimension, as near as the type holds it. */
function rounded(name: string, shape: readonly number[], dimension: number): HostArray {
  const type = dtype(name);
  return build(type, shape, (i) => encode(type, indexOf(shape, i)[dimension]!));
}

const iota = space(
  {
    ...SHAPED,
    dimension: ['first', 'last', 'middle'],
    dtype: ['f32', 's32', 'u8', 's64', 'f16', 'c64', 's16', 'bf16'],
  },
  (c) => {
    const shape = rankedOf(c);
    const [dimension] = dimensionsOf(c.dimension, shape.length) as [number];
    legal(c.dtype !== 'u8' || shape[dimension]! <= 256, 'the type does not count so far');
    const results = [{ dtype: c.dtype, shape }];
    const rounds = c.dtype === 'bf16';
    return {
      operands: [],
      results,
      text: (names, name) =>
        operation('iota', names, name, { types: [], results, properties: [`iota_dimension = ${dimension} : i64`] }),
      expected: () => [
        rounds ? rounded(c.dtype, shape, dimension) : ORACLES.iota!([], { dtype: c.dtype, shape, dimension }),
      ],
      compare: rounds ? ROUNDED : MOVED,
    };
  },
);

const barrier = space({ ...SHAPED, operands: [1, 2, 5], ...CARRIED }, (c) => {
  const operands = Array.from({ length: c.operands }, (_, i) =>
    i % 2 === 0 ? operandFor(c, shapeOf(c), i) : operandFor({ ...c, dtype: 's32', contents: 'small' }, [3], i),
  );
  const results = operands.map(({ dtype, shape }) => ({ dtype, shape }));
  return {
    operands,
    results,
    text: (names, name) => operation('optimization_barrier', names, name, { types: operands, results }),
    expected: (arrays) => arrays,
    compare: MOVED,
  };
});

/** The spaces by operation. */
export const MOVEMENT: Readonly<Record<string, Space>> = {
  transpose,
  reshape,
  broadcast_in_dim: broadcast,
  slice,
  concatenate,
  pad,
  reverse,
  iota,
  optimization_barrier: barrier,
};
