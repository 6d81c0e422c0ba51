/** Operations that move elements and compute none. */

import { arrayText, listText, scalar } from '../../../knowledge/ops/text.ts';
import { isFloat, isInteger, merged } from '../facts.ts';
import { type List, need, needAll, sizeOf, type TensorType } from '../ir.ts';
import type { Draft, Rule } from '../rule.ts';
import { arrays, filled } from '../text.ts';

const anything = (draft: Draft): number => draft.find(() => true);
const ranked = (draft: Draft, rank = 1): number => draft.find(({ type }) => type.shape.length >= rank);

const isPermutation = (list: readonly number[], n: number): boolean =>
  list.length === n && [...list].sort((a, b) => a - b).every((d, i) => d === i);

/** Shapes with as many elements as another. */
function regrouped(draft: Draft, shape: readonly number[]): number[] {
  const { random } = draft;
  const size = shape.reduce((n, d) => n * d, 1);
  if (size === 0) return random.pick([[0], [0, 3], [2, 0], [1, 0, 2]]);
  const dims: number[] = [];
  let rest = size;
  for (let d = 2; d * d <= rest && dims.length < 3; ) {
    if (rest % d === 0 && random.once(2)) {
      dims.push(d);
      rest /= d;
    } else d++;
  }
  if (rest > 1 || dims.length === 0) dims.push(rest);
  if (random.once(4) && dims.length < 4) dims.splice(random.below(dims.length + 1), 0, 1);
  if (size === 1 && random.once(2)) return [];
  return random.shuffled(dims);
}

const reshape: Rule<{ shape: List }> = {
  weight: 6,
  draft: (draft) => {
    const x = anything(draft);
    return { operands: [x], attributes: { shape: regrouped(draft, draft.known(x).type.shape) } };
  },
  type: ([x], { attributes: { shape } }) => {
    const type = { dtype: x!.dtype, shape };
    need(sizeOf(type) === sizeOf(x!), 'another size');
    return type;
  },
};

const transpose: Rule<{ permutation: List }> = {
  weight: 6,
  draft: (draft) => {
    const x = ranked(draft);
    const permutation = draft.random.shuffled(draft.known(x).type.shape.map((_, i) => i));
    return { operands: [x], attributes: { permutation } };
  },
  type: ([x], { attributes: { permutation } }) => {
    need(isPermutation(permutation, x!.shape.length), 'no permutation');
    return { dtype: x!.dtype, shape: permutation.map((d) => x!.shape[d]!) };
  },
  properties: arrays({ permutation: 'permutation' }),
};

const broadcast: Rule<{ shape: List; dimensions: List }> = {
  weight: 8,
  draft: (draft) => {
    const { random } = draft;
    const x = draft.find(({ type }) => type.shape.length <= 3);
    const { shape: from } = draft.known(x).type;
    const shape: number[] = [];
    const dimensions: number[] = [];
    for (let i = 0; i <= from.length; i++) {
      if (shape.length + from.length - i < 4 && random.once(2)) shape.push(random.pick([1, 2, 3, 5, 7]));
      if (i === from.length) break;
      dimensions.push(shape.length);
      shape.push(from[i] === 1 && random.once(2) ? random.pick([2, 3, 4]) : from[i]!);
    }
    return { operands: [x], attributes: { shape, dimensions } };
  },
  type: ([x], { attributes: { shape, dimensions } }) => {
    need(dimensions.length === x!.shape.length && new Set(dimensions).size === dimensions.length, 'other dimensions');
    needAll(x!.shape, (d, i) => d === 1 || d === shape[dimensions[i]!], 'another shape');
    needAll(dimensions, (d) => d < shape.length, 'no such dimension');
    return { dtype: x!.dtype, shape };
  },
  properties: arrays({ broadcast_dimensions: 'dimensions' }),
};

const slice: Rule<{ start: List; limit: List; strides: List }> = {
  weight: 6,
  draft: (draft) => {
    const { random } = draft;
    const x = anything(draft);
    const { shape } = draft.known(x).type;
    const start: number[] = [];
    const limit: number[] = [];
    const strides: number[] = [];
    for (const d of shape) {
      const from = random.once(2) ? 0 : random.below(d + 1);
      start.push(from);
      limit.push(random.once(2) ? d : random.between(from, d));
      strides.push(random.once(3) ? random.between(1, 3) : 1);
    }
    return { operands: [x], attributes: { start, limit, strides } };
  },
  type: ([x], { attributes: { start, limit, strides } }) => {
    need(start.length === x!.shape.length, 'another rank');
    const shape = x!.shape.map((d, i) => {
      const [from, to, by] = [start[i]!, limit[i]!, strides[i]!];
      need(from >= 0 && from <= to && to <= d && by >= 1, 'outside');
      return Math.ceil((to - from) / by);
    });
    return { dtype: x!.dtype, shape };
  },
  properties: arrays({ limit_indices: 'limit', start_indices: 'start', strides: 'strides' }),
  simpler: filled({ strides: 1 }),
};

const concatenate: Rule<{ dimension: number }> = {
  weight: 6,
  draft: (draft) => {
    const { random } = draft;
    const x = ranked(draft);
    const { type } = draft.known(x);
    const dimension = random.below(type.shape.length);
    const operands = [x];
    for (let i = random.between(0, 2); i > 0; i--) {
      const shape = type.shape.map((d, j) => (j === dimension && random.once(2) ? random.between(0, 4) : d));
      operands.push(draft.make({ dtype: type.dtype, shape }));
    }
    return { operands: random.shuffled(operands), attributes: { dimension } };
  },
  type: (types, { attributes: { dimension } }) => {
    const [x] = types;
    need(dimension < x!.shape.length, 'no such dimension');
    needAll(types, (y) => y.dtype === x!.dtype && y.shape.length === x!.shape.length, 'other shapes');
    needAll(types, (y) => y.shape.every((d, i) => i === dimension || d === x!.shape[i]), 'other shapes');
    const whole = types.reduce((n, { shape }) => n + shape[dimension]!, 0);
    return { dtype: x!.dtype, shape: x!.shape.map((d, i) => (i === dimension ? whole : d)) };
  },
  fact: (operands, _, { dtype: name }) => merged(name, ...operands.map(({ fact }) => fact)),
  properties: ({ attributes }) => [`dimension = ${attributes.dimension} : i64`],
};

const pad: Rule<{ low: List; high: List; interior: List }> = {
  weight: 6,
  draft: (draft) => {
    const { random } = draft;
    const x = anything(draft);
    const { type } = draft.known(x);
    const low = type.shape.map(() => random.pick([0, 0, 1, 2, -1]));
    const high = type.shape.map(() => random.pick([0, 0, 1, 3, -1]));
    const interior = type.shape.map(() => random.pick([0, 0, 0, 1, 2]));
    return { operands: [x, draft.make(scalar(type.dtype))], attributes: { low, high, interior } };
  },
  type: ([x, value], { attributes: { low, high, interior } }) => {
    need(value!.shape.length === 0 && value!.dtype === x!.dtype, 'another padding value');
    need(low.length === x!.shape.length, 'another rank');
    const shape = x!.shape.map((d, i) => {
      const size = d + Math.max(0, d - 1) * interior[i]! + low[i]! + high[i]!;
      need(size >= 0, 'negative size');
      return size;
    });
    return { dtype: x!.dtype, shape };
  },
  fact: ([x, value], _, { dtype: name }) => merged(name, x!.fact, value!.fact),
  properties: arrays({ edge_padding_high: 'high', edge_padding_low: 'low', interior_padding: 'interior' }),
  simpler: filled({ low: 0, high: 0, interior: 0 }),
};

const reverse: Rule<{ dimensions: List }> = {
  weight: 4,
  draft: (draft) => {
    const x = ranked(draft);
    const { shape } = draft.known(x).type;
    return { operands: [x], attributes: { dimensions: [...shape.keys()].filter(() => draft.random.once(2)) } };
  },
  type: ([x], { attributes: { dimensions } }) => {
    need(new Set(dimensions).size === dimensions.length, 'a dimension twice');
    needAll(dimensions, (d) => d < x!.shape.length, 'no such dimension');
    return x!;
  },
  properties: arrays({ dimensions: 'dimensions' }),
};

const iota: Rule<{ dtype: string; shape: List; dimension: number }> = {
  weight: 3,
  draft: (draft) => {
    const shape = draft.shape();
    need(shape.length > 0, 'a scalar');
    const numeric = draft.dtypes.filter((d) => isInteger(d) || isFloat(d));
    need(numeric.length > 0, 'no type of numbers');
    const name = draft.random.pick(numeric);
    return { operands: [], attributes: { dtype: name, shape, dimension: draft.random.below(shape.length) } };
  },
  type: (_, { attributes: { dtype, shape, dimension } }) => {
    need(dimension < shape.length, 'no such dimension');
    return { dtype, shape };
  },
  fact: (_, { attributes: { dimension } }, { dtype: name, shape }) => {
    const last = Math.max(1, shape[dimension]! - 1);
    // Types that cannot count so far wrap or round.
    need(last <= ({ s8: 127, u8: 255, f16: 2048, bf16: 256 }[name] ?? 65535), 'counts too far');
    return isFloat(name)
      ? { kind: 'float', lo: 0, hi: last, magnitude: last, grid: 0, error: 0 }
      : { kind: 'integer', lo: 0n, hi: BigInt(last) };
  },
  properties: ({ attributes }) => [`iota_dimension = ${attributes.dimension} : i64`],
};

const INDICES = ['s32', 's32', 's64', 'u32', 's8'] as const;

/** One scalar index for each dimension. Whatever lies outside is moved inside. */
const startIndices = (draft: Draft, rank: number): number[] => {
  const index = draft.random.pick(INDICES);
  return Array.from({ length: rank }, () => draft.makeOf(scalar(index), [draft.random.below(6)]));
};

const indices = (types: readonly TensorType[], rank: number): void => {
  need(types.length === rank, 'another number of indices');
  needAll(types, (t) => t.shape.length === 0 && isInteger(t.dtype) && t.dtype === types[0]!.dtype, 'other indices');
};

const dynamicSlice: Rule<{ sizes: List }> = {
  weight: 4,
  draft: (draft) => {
    const x = ranked(draft);
    const { shape } = draft.known(x).type;
    const sizes = shape.map((d) => (draft.random.once(2) ? d : draft.random.between(0, d)));
    return { operands: [x, ...startIndices(draft, shape.length)], attributes: { sizes } };
  },
  type: ([x, ...starts], { attributes: { sizes } }) => {
    indices(starts, x!.shape.length);
    need(sizes.length === x!.shape.length && sizes.every((d, i) => d <= x!.shape[i]!), 'too large');
    return { dtype: x!.dtype, shape: sizes };
  },
  properties: arrays({ slice_sizes: 'sizes' }),
};

const dynamicUpdateSlice: Rule = {
  weight: 4,
  draft: (draft) => {
    const x = ranked(draft);
    const { dtype: name, shape } = draft.known(x).type;
    const sizes = shape.map((d) => (draft.random.once(2) ? d : draft.random.between(0, d)));
    return { operands: [x, draft.make({ dtype: name, shape: sizes }), ...startIndices(draft, shape.length)] };
  },
  type: ([x, update, ...starts]) => {
    indices(starts, x!.shape.length);
    need(
      update!.dtype === x!.dtype &&
        update!.shape.length === x!.shape.length &&
        update!.shape.every((d, i) => d <= x!.shape[i]!),
      'another update',
    );
    return x!;
  },
  fact: ([x, update], _, { dtype: name }) => merged(name, x!.fact, update!.fact),
};

/** Slices at positions that an array of indices names; each index is moved inside. */
const gather: Rule<{ map: List; collapsed: List; sizes: List; offsets: List }> = {
  weight: 4,
  draft: (draft) => {
    const { random } = draft;
    const x = draft.find(({ type }) => type.shape.length >= 1 && !type.shape.includes(0));
    const { shape } = draft.known(x).type;
    const map = random.shuffled(shape.map((_, i) => i)).slice(0, random.between(1, shape.length));
    const collapsed = map.filter(() => random.once(2)).sort((a, b) => a - b);
    const sizes = shape.map((d, i) => (collapsed.includes(i) ? 1 : random.once(2) ? d : random.between(1, d)));
    const batch = random.pick([[], [1], [3], [2, 2], [5]]);
    const windows = shape.length - collapsed.length;
    const rank = batch.length + windows;
    const offsets = random
      .shuffled(Array.from({ length: rank }, (_, i) => i))
      .slice(0, windows)
      .sort((a, b) => a - b);
    const name = random.pick(['s32', 's64', 'u32']);
    const count = 2 + random.below(6);
    const of = Array.from({ length: count }, () => random.between(name === 'u32' ? 0 : -2, 8));
    const starts = draft.makeOf({ dtype: name, shape: [...batch, map.length] }, of);
    return { operands: [x, starts], attributes: { map, collapsed, sizes, offsets } };
  },
  type: ([x, starts], { attributes: { map, collapsed, sizes, offsets } }) => {
    need(isInteger(starts!.dtype) && starts!.shape.length > 0, 'other indices');
    need(sizes.length === x!.shape.length && sizes.every((d, i) => d <= x!.shape[i]!), 'too large');
    needAll(collapsed!, (d) => sizes[d] === 1, 'collapses more than one');
    need(starts!.shape.at(-1) === map.length && map.every((d) => d < x!.shape.length), 'another index vector');
    const batch = starts!.shape.slice(0, -1);
    const windows = sizes.filter((_, i) => !collapsed.includes(i));
    need(windows.length === offsets.length, 'other offsets');
    const rank = batch.length + windows.length;
    const shape = Array.from({ length: rank }, (_, i) => {
      const window = offsets.indexOf(i);
      return window >= 0 ? windows[window]! : batch[i - offsets.filter((o) => o < i).length]!;
    });
    needAll(shape, (d) => d !== undefined, 'other offsets');
    return { dtype: x!.dtype, shape };
  },
  properties: ({ attributes: { map, collapsed, sizes, offsets } }, { types }) => [
    `dimension_numbers = #stablehlo.gather<offset_dims = ${listText(offsets)}, collapsed_slice_dims = ${listText(collapsed)}, start_index_map = ${listText(map)}, index_vector_dim = ${types[1]!.shape.length - 1}>`,
    'indices_are_sorted = false',
    `slice_sizes = ${arrayText(sizes)}`,
  ],
};

/** The rules by operation. */
export const MOVEMENT: Readonly<Record<string, Rule>> = {
  reshape,
  transpose,
  broadcast_in_dim: broadcast,
  slice,
  concatenate,
  pad,
  reverse,
  iota,
  dynamic_slice: dynamicSlice,
  dynamic_update_slice: dynamicUpdateSlice,
  gather,
};
