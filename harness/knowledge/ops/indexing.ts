/** The spaces of gather, scatter and the dynamic slices. */
import { ORACLES } from '../numerics/oracles.ts';
import { COMBINED, COMBINERS, combined, MOVED, takes } from './combining.ts';
import { CONTENTS, exactly, filled, isFloat, operandOf, SHAPED, shapeOf, sizeOf, sizesOf, small } from './contents.ts';
import { legal, type Operand, type Space, space, type TensorType } from './space.ts';
import { arrayText, listText, operation, scalar } from './text.ts';

/** What the dimension numbers of gather and scatter have in common. */
const NUMBERS = {
  shape: ['4x5x3', '6', '1', '1x1', '5x3x4x2', '3x1x4', '2x3x2x3x2', '300x2', '2x257x3', '3x2x129x2', '2x1x2x3x130'],
  /** The dimensions that the indices are for. */
  map: ['first', 'none', 'last', 'all', 'reversed'],
  /** The dimensions of one element that windows do without. */
  dropped: ['mapped', 'none', 'all'],
  batching: ['none', 'first', 'last'],
  /** The shape of what the indices are in. */
  batch: ['3', 'scalar', '2x3', '0', '130', '1'],
  vector: ['last', 'first', 'implicit', 'middle'],
  windows: ['last', 'first', 'middle'],
  size: ['full', 'one', 'half', 'none'],
  bounds: ['inside', 'outside', 'limits'],
  sorted: [false, true],
  index: ['s32', 's64', 'u8', 'u32', 's8'],
} as const;

type Numbers = { readonly [K in keyof typeof NUMBERS]: (typeof NUMBERS)[K][number] };

const LIMITS: Readonly<Record<Numbers['index'], [least: string, most: string]>> = {
  s32: ['-2147483648', '2147483647'],
  s64: ['-9223372036854775808', '9223372036854775807'],
  u8: ['0', '255'],
  s8: ['-128', '127'],
  u32: ['0', '4294967295'],
};

/**
 * Indices and windows for a choice.
 * @param distinct no two windows may overlap
 * @param clamps starts outside are moved inside, and need not leave the operand as a whole
 */
function places(c: Numbers, { distinct }: { distinct: boolean }) {
  const shape = sizesOf(c.shape);
  const rank = shape.length;
  const all = shape.map((_, d) => d);
  legal(c.batching === 'none' || rank > 1, 'no dimension is left to batch over');
  const batching = c.batching === 'none' ? [] : [c.batching === 'first' ? 0 : rank - 1];
  const others = all.filter((d) => !batching.includes(d));
  const named = {
    first: () => [others[0]!],
    last: () => [others.at(-1)!],
    none: () => [],
    all: () => others,
    reversed: () => [...others].reverse(),
  };
  const map = named[c.map]();
  const dropped = c.dropped === 'none' ? [] : c.dropped === 'all' ? others : [...map].sort((a, b) => a - b);
  const kept = others.filter((d) => !dropped.includes(d));
  const sized = { full: (n: number) => n, one: () => 1, half: (n: number) => Math.ceil(n / 2), none: () => 0 };
  const window = shape.map((n, d) => (kept.includes(d) ? sized[c.size](n) : 1));
  const own = sizesOf(c.batch);
  const batch = c.batching === 'last' ? [...own, shape[rank - 1]!] : [...batching.map((d) => shape[d]!), ...own];
  const vector = c.vector === 'first' ? 0 : c.vector === 'middle' ? Math.floor(batch.length / 2) : batch.length;
  legal(c.vector !== 'implicit' || map.length === 1, 'an index of one number is implicit');
  const indexShape = c.vector === 'implicit' ? batch : batch.toSpliced(vector, 0, map.length);
  const batchAt = c.batching === 'last' ? own.length : 0;
  const indicesBatching = batching.map(() => (c.vector !== 'implicit' && vector <= batchAt ? batchAt + 1 : batchAt));
  // The index vectors of one batch; each batch has the same.
  const count = sizeOf(own);
  const room = map.map((d) => shape[d]! - window[d]! + 1);
  const points = sizeOf(room);
  if (distinct && count > 1) {
    legal(count <= points && map.every((d) => window[d] === 1) && map.length > 0, 'windows overlap');
  }
  legal(c.bounds === 'inside' || map.length > 0, 'no index can be outside');
  legal(c.bounds !== 'outside' || count > 0, 'there is no index');
  const step = [7, 11, 13, 1].find((s) => gcd(s, points) === 1)!;
  let vectors = Array.from({ length: count }, (_, i) => mixed((i * step + 1) % points, room));
  if (c.bounds !== 'inside') {
    const [least, most] = LIMITS[c.index];
    const unsigned = c.index.startsWith('u');
    vectors = vectors.map((one, i) => {
      if (i % 3 !== 1 && count > 2) return one;
      const n = shape[map[0]!]!;
      const low = c.bounds === 'limits' ? least : unsigned ? String(n) : String(-n);
      const high = c.bounds === 'limits' ? most : String(n);
      // The least unsigned number is inside.
      const outside = i % 2 === 0 || unsigned ? high : low;
      return [outside, ...one.slice(1)];
    });
  }
  if (c.sorted) {
    legal(batching.length === 0 || count < 2, 'indices of batches are not sorted as a whole');
    vectors.sort((a, b) => a.map((x, k) => Number(BigInt(x) - BigInt(b[k]!))).find((x) => x !== 0) ?? 0);
  }
  const [least, most] = LIMITS[c.index].map(BigInt) as [bigint, bigint];
  legal(
    vectors.flat().every((x) => BigInt(x) >= least && BigInt(x) <= most),
    'the type of the indices does not reach so far',
  );
  const starts = elementsOf(indexShape, (at) => {
    const k = c.vector === 'implicit' ? 0 : at[vector]!;
    const inBatch = c.vector === 'implicit' ? at : at.toSpliced(vector, 1);
    const inOwn = batching.length > 0 ? inBatch.toSpliced(batchAt, 1) : inBatch;
    return vectors[linear(own, inOwn)]![k]!;
  });
  const windowShape = kept.map((d) => window[d]!);
  const start = { first: 0, middle: Math.floor(batch.length / 2), last: batch.length }[c.windows];
  return {
    shape,
    rank,
    map,
    dropped,
    batching,
    indicesBatching,
    vector,
    window,
    indices: exactly({ dtype: c.index, shape: indexShape }, starts),
    /** Of the result of a gather, and the updates of a scatter. */
    outer: batch.toSpliced(start, 0, ...windowShape),
    windowDims: windowShape.map((_, i) => start + i),
  };
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

function mixed(n: number, sizes: readonly number[]): string[] {
  const digits: string[] = [];
  let rest = n;
  for (const size of [...sizes].reverse()) {
    digits.unshift(String(rest % size));
    rest = Math.floor(rest / size);
  }
  return digits;
}

const linear = (shape: readonly number[], at: readonly number[]): number =>
  at.reduce((n, x, d) => n * shape[d]! + x, 0);

function elementsOf<T>(shape: readonly number[], of: (at: number[]) => T): T[] {
  return Array.from({ length: sizeOf(shape) }, (_, i) => of(mixed(i, shape).map(Number)));
}

const DATA = ['f32', 's32', 'pred', 'bf16', 's8'] as const;

const gather = space({ ...NUMBERS, dtype: DATA, contents: CONTENTS }, (c) => {
  legal(c.dropped !== 'all' || c.size === 'full' || c.size === 'one', 'dropped dimensions have one element');
  const p = places(c, { distinct: false });
  legal(
    p.dropped.every((d) => p.shape[d]! >= 1),
    'an empty dimension',
  );
  const types = [{ dtype: c.dtype, shape: p.shape }, p.indices];
  const result = { dtype: c.dtype, shape: p.outer };
  return {
    operands: [operandOf(types[0]!, c.contents, 1, true), p.indices],
    results: [result],
    text: (names, name) =>
      operation('gather', names, name, {
        types,
        results: [result],
        properties: [
          `dimension_numbers = #stablehlo.gather<${given({
            offset_dims: p.windowDims,
            collapsed_slice_dims: p.dropped,
            operand_batching_dims: p.batching,
            start_indices_batching_dims: p.indicesBatching,
            start_index_map: p.map,
          })}index_vector_dim = ${p.vector}>`,
          `indices_are_sorted = ${c.sorted}`,
          `slice_sizes = ${arrayText(p.window)}`,
        ],
      }),
    expected: (arrays) => [
      ORACLES.gather!([...arrays], {
        offset_dims: p.windowDims,
        collapsed: p.dropped,
        operand_batching: p.batching,
        indices_batching: p.indicesBatching,
        start_index_map: p.map,
        index_vector_dim: p.vector,
        sizes: p.window,
      }),
    ],
    compare: MOVED,
  };
});

/** Lists that are not empty, as frameworks write them. */
const given = (lists: Readonly<Record<string, readonly number[]>>): string =>
  Object.entries(lists)
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${name} = ${listText(list)}, `)
    .join('');

const scatter = space(
  {
    ...NUMBERS,
    operands: [1, 2, 3],
    combiner: ['add', 'replace', 'maximum', 'minimum', 'multiply', 'or'],
    unique: [false, true],
    dtype: ['f32', 's32', 'pred', 'bf16', 's8'],
    contents: CONTENTS,
  },
  (c) => {
    const p = places(c, { distinct: c.unique || c.combiner === 'replace' });
    legal(c.contents === 'small' || c.combiner === 'replace', 'only what replaces keeps special values');
    // The other operands are of another type, and have other numbers.
    // XLA's verifier refuses floats of two precisions in one operation.
    const dtypes = [c.dtype, 's32', isFloat(c.dtype) ? c.dtype : 'f32'].slice(0, c.operands);
    legal(c.combiner !== 'multiply' || dtypes.every((d) => !isFloat(d)), 'products of floats are rounded');
    for (const d of dtypes) legal(c.combiner === 'replace' || takes(c.combiner, d), `${d} has no ${c.combiner}`);
    const inputs = dtypes.map((d, i) =>
      operandOf({ dtype: d, shape: p.shape }, i === 0 ? c.contents : 'small', 10 + i, true),
    );
    const updates = dtypes.map((d, i) => {
      const type = { dtype: d, shape: p.outer };
      return i === 0 && c.contents !== 'small' ? operandOf(type, c.contents, 20, true) : small(type, 20 + i, 2);
    });
    const operands: Operand[] = [...inputs, p.indices, ...updates];
    const results: TensorType[] = dtypes.map((d) => ({ dtype: d, shape: p.shape }));
    const scalars = [...dtypes, ...dtypes].map(scalar);
    return {
      operands,
      results,
      text: (names, name) =>
        operation('scatter', names, name, {
          types: operands,
          results,
          properties: [
            `indices_are_sorted = ${c.sorted}`,
            `scatter_dimension_numbers = #stablehlo.scatter<${given({
              update_window_dims: p.windowDims,
              inserted_window_dims: p.dropped,
              input_batching_dims: p.batching,
              scatter_indices_batching_dims: p.indicesBatching,
              scatter_dims_to_operand_dims: p.map,
            })}index_vector_dim = ${p.vector}>`,
            `unique_indices = ${c.unique}`,
          ],
          regions: [combined(name, c.combiner, scalars)],
        }),
      expected: (arrays) =>
        dtypes.map((_, i) =>
          ORACLES.scatter!([arrays[i]!, arrays[c.operands]!, arrays[c.operands + 1 + i]!], {
            op: COMBINERS[c.combiner],
            window_dims: p.windowDims,
            inserted: p.dropped,
            operand_batching: p.batching,
            indices_batching: p.indicesBatching,
            start_index_map: p.map,
            index_vector_dim: p.vector,
          }),
        ),
      compare: c.combiner === 'replace' ? MOVED : COMBINED,
    };
  },
);

const STARTS = ['inside', 'zero', 'last', 'negative', 'beyond', 'limits'] as const;

const startOf = (
  where: (typeof STARTS)[number],
  index: Numbers['index'],
  n: number,
  size: number,
  d: number,
): string => {
  const [least, most] = LIMITS[index];
  if (where === 'limits') return d % 2 === 0 ? most : least;
  if (where === 'negative') {
    legal(!index.startsWith('u'), 'unsigned numbers are not negative');
    return String(-1 - d);
  }
  const value = { inside: Math.floor((n - size) / 2), zero: 0, last: n - size, beyond: n - size + 1 + d }[where];
  legal(value <= Number(most), 'the type of the indices does not reach so far');
  return String(value);
};

const SLICES = {
  ...SHAPED,
  size: ['half', 'full', 'one', 'none'],
  start: STARTS,
  index: ['s32', 's64', 'u8', 'u32', 's8'],
  dtype: DATA,
  contents: CONTENTS,
} as const;

type Slices = { readonly [K in keyof typeof SLICES]: (typeof SLICES)[K][number] };

function sliced(c: Slices) {
  const shape = shapeOf(c);
  const of = {
    half: (n: number) => Math.ceil(n / 2),
    full: (n: number) => n,
    one: (n: number) => Math.min(1, n),
    none: () => 0,
  };
  const sizes = shape.map(of[c.size]);
  const starts = shape.map((n, d) => filled(scalar(c.index), startOf(c.start, c.index, n, sizes[d]!, d)));
  return { operand: operandOf({ dtype: c.dtype, shape }, c.contents, 1, true), sizes, starts };
}

const dynamicSlice = space(SLICES, (c) => {
  const { operand, sizes, starts } = sliced(c);
  const operands = [operand, ...starts];
  const result = { dtype: c.dtype, shape: sizes };
  return {
    operands,
    results: [result],
    text: (names, name) =>
      operation('dynamic_slice', names, name, {
        types: operands,
        results: [result],
        properties: [`slice_sizes = ${arrayText(sizes)}`],
      }),
    expected: (arrays) => [ORACLES.dynamic_slice!([...arrays], { sizes })],
    compare: MOVED,
  };
});

const dynamicUpdateSlice = space(SLICES, (c) => {
  const { operand, sizes, starts } = sliced(c);
  const update = operandOf({ dtype: c.dtype, shape: sizes }, 'small', 2, true);
  const operands = [operand, update, ...starts];
  const result = { dtype: c.dtype, shape: operand.shape };
  return {
    operands,
    results: [result],
    text: (names, name) => operation('dynamic_update_slice', names, name, { types: operands, results: [result] }),
    expected: (arrays) => [ORACLES.dynamic_update_slice!([...arrays], {})],
    compare: MOVED,
  };
});

/** The spaces by operation. */
export const INDEXING: Readonly<Record<string, Space>> = {
  gather,
  scatter,
  dynamic_slice: dynamicSlice,
  dynamic_update_slice: dynamicUpdateSlice,
};
