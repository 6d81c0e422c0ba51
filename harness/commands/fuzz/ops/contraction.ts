/** Operations that combine many elements: contractions, reductions, windows, scatters, sorting. */

import { arrayText, listText, scalar, typeText } from '../../../knowledge/ops/text.ts';
import {
  type Fact,
  type FloatFact,
  integersOf,
  isComplex,
  isExact,
  isFloat,
  isInteger,
  isUnsigned,
  union,
} from '../facts.ts';
import { type List, need, needAll, sameShape, sizeOf, type TensorType } from '../ir.ts';
import { literal } from '../literal.ts';
import type { Draft, Known, Printing, Profile, Rule } from '../rule.ts';
import { filled, generic } from '../text.ts';
import { comparisonType, rounding, summed, timesFact } from './elementwise.ts';

/** A sum of terms of which this is known, in any order. */
function sumOf(name: string, term: Fact, terms: number, profile: Profile): Fact {
  if (term.kind === 'integer') return integersOf(name);
  if (terms === 0) return { kind: 'float', lo: 0, hi: 0, magnitude: 1, grid: 0, error: 0 };
  return summed(
    'add',
    name,
    {
      // Windows at an edge have fewer terms.
      lo: Math.min(0, terms * term.lo),
      hi: Math.max(0, terms * term.hi),
      magnitude: terms * term.magnitude,
      grid: term.grid,
      error: terms * term.error,
    },
    profile,
    { terms, more: rounding('sum', name, terms * term.magnitude + terms * term.error, profile) },
  );
}

const product = (numbers: List): number => numbers.reduce((n, d) => n * d, 1);

/** `[[0, 1], [2, 0]]`. */
const pairsText = (low: List, high: List): string => `[${low.map((l, i) => `[${l}, ${high[i]}]`).join(', ')}]`;

/** Bits that a factor of a contraction may have: devices that round factors to bf16 do not change them. */
const isNarrow = (fact: FloatFact): boolean => isExact(fact) && fact.magnitude <= 2 ** (fact.grid + 8);

const PRECISE = 'precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]';

function contracted(operands: readonly Known[], name: string, terms: number, profile: Profile): Fact {
  const [a, b] = operands.map(({ fact }) => fact);
  if (a!.kind === 'integer') return integersOf(name);
  need(b!.kind === 'float', 'different kinds');
  // Of factors that no device keeps in full no exactness follows; of those with an error no more than a bound.
  const fine = (factor: FloatFact): boolean => isNarrow(factor) || (factor.error > 0 && !isComplex(name));
  need(fine(a!) && fine(b!), 'too many bits');
  return sumOf(name, timesFact(name, a!, b!, profile), terms, profile);
}

type Contraction = Record<'lhs_batch' | 'rhs_batch' | 'lhs_contracting' | 'rhs_contracting', List>;

const dotGeneral: Rule<Contraction> = {
  weight: 8,
  draft: (draft) => {
    const { random } = draft;
    const x = draft.find(
      ({ type, fact }) =>
        type.shape.length >= 1 &&
        type.dtype !== 'pred' &&
        sizeOf(type) <= 20_000 &&
        (fact.kind === 'integer' || isNarrow(fact) || fact.error > 0),
    );
    const { dtype: name, shape } = draft.known(x).type;
    const dims = random.shuffled(shape.map((_, i) => i));
    const batch = dims.slice(0, random.once(3) && shape.length > 1 ? 1 : 0);
    const contracting = dims.slice(batch.length, batch.length + (random.once(6) ? 2 : 1));
    const free = Array.from({ length: random.between(0, 2) }, () => random.pick([1, 2, 3, 5, 8]));
    const other = [...batch.map((d) => shape[d]!), ...contracting.map((d) => shape[d]!), ...free];
    const order = random.shuffled(other.map((_, i) => i));
    const rhs = order.map((i) => other[i]!);
    const place = (i: number): number => order.indexOf(i);
    const y = draft.make({ dtype: name, shape: rhs });
    return {
      operands: [x, y],
      attributes: {
        lhs_batch: batch,
        rhs_batch: batch.map((_, i) => place(i)),
        lhs_contracting: contracting,
        rhs_contracting: contracting.map((_, i) => place(batch.length + i)),
      },
    };
  },
  type: ([x, y], { attributes }) => {
    const { lhs_batch: lb, rhs_batch: rb, lhs_contracting: lc, rhs_contracting: rc } = attributes;
    need(x!.dtype === y!.dtype && x!.dtype !== 'pred', 'operands of different types');
    const pairs = [...lb.map((d, i) => [d, rb[i]!]), ...lc.map((d, i) => [d, rc[i]!])];
    needAll(pairs, ([l, r]) => x!.shape[l!] !== undefined && x!.shape[l!] === y!.shape[r!], 'other sizes');
    const rest = (shape: readonly number[], used: readonly number[]): number[] =>
      shape.filter((_, i) => !used.includes(i));
    return {
      dtype: x!.dtype,
      shape: [...lb.map((d) => x!.shape[d]!), ...rest(x!.shape, [...lb, ...lc]), ...rest(y!.shape, [...rb, ...rc])],
    };
  },
  fact: (operands, { attributes }, { dtype: name }, profile) => {
    const { shape } = operands[0]!.type;
    const terms = attributes.lhs_contracting.reduce((n, d) => n * shape[d]!, 1);
    return contracted(operands, name, terms, profile);
  },
  properties: ({ attributes: a }) => [
    `dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = ${listText(a.lhs_batch)}, rhs_batching_dimensions = ${listText(a.rhs_batch)}, lhs_contracting_dimensions = ${listText(a.lhs_contracting)}, rhs_contracting_dimensions = ${listText(a.rhs_contracting)}>`,
    PRECISE,
  ],
};

/** The attributes of a convolution: a list has a number for each spatial dimension. */
type Convolution = Record<'strides' | 'low' | 'high' | 'lhs_dilation' | 'rhs_dilation', List> & { groups: number };

const convolution: Rule<Convolution> = {
  weight: 3,
  draft: (draft) => {
    const { random } = draft;
    const floats = draft.dtypes.filter(isFloat);
    need(floats.length > 0, 'no type of floats');
    const name = random.pick(floats);
    const spatial = random.between(1, 2);
    const groups = random.once(4) ? 2 : 1;
    const batch = random.between(1, 2);
    const [inputs, outputs] = [groups * random.between(1, 3), groups * random.between(1, 3)];
    const sizes = Array.from({ length: spatial }, () => random.between(1, 9));
    const kernel = Array.from({ length: spatial }, () => random.between(1, 3));
    const list = (of: readonly number[]): number[] => Array.from({ length: spatial }, () => random.pick(of));
    return {
      operands: [
        draft.make({ dtype: name, shape: [batch, ...sizes, inputs] }),
        draft.make({ dtype: name, shape: [...kernel, inputs / groups, outputs] }),
      ],
      attributes: {
        strides: list([1, 1, 2, 3]),
        low: list([0, 0, 1, 2]),
        high: list([0, 0, 1, 2]),
        lhs_dilation: list([1, 1, 1, 2]),
        rhs_dilation: list([1, 1, 1, 2]),
        groups,
      },
    };
  },
  type: ([x, w], { attributes: { strides, low, high, lhs_dilation, rhs_dilation, groups } }) => {
    const n = strides.length;
    need(x!.dtype === w!.dtype && x!.shape.length === n + 2 && w!.shape.length === n + 2, 'other ranks');
    const [inputs, features] = [x!.shape.at(-1)!, w!.shape.at(-1)!];
    need(
      w!.shape.at(-2)! * groups === inputs && features % groups === 0 && inputs > 0 && features > 0,
      'other features',
    );
    const shape = strides.map((stride, i) => {
      const [size, window] = [x!.shape[i + 1]!, w!.shape[i]!];
      need(window > 0 && size > 0, 'an empty window');
      const padded = (size - 1) * lhs_dilation[i]! + 1 + low[i]! + high[i]!;
      const dilated = (window - 1) * rhs_dilation[i]! + 1;
      need(padded >= dilated, 'smaller than the window');
      return Math.floor((padded - dilated) / stride) + 1;
    });
    return { dtype: x!.dtype, shape: [x!.shape[0]!, ...shape, features] };
  },
  fact: (operands, _, { dtype: name }, profile) => {
    const terms = sizeOf(operands[1]!.type) / Math.max(1, operands[1]!.type.shape.at(-1)!);
    return contracted(operands, name, terms, profile);
  },
  print: ({ name, operands, types, result }, { attributes }) => {
    const { strides, low, high, lhs_dilation, rhs_dilation } = attributes;
    const spatial = [...strides.keys()];
    const image = `[b, ${spatial.join(', ')}, f]`;
    const window = [
      `stride = ${listText(strides)}`,
      `pad = ${pairsText(low, high)}`,
      `lhs_dilate = ${listText(lhs_dilation)}`,
      `rhs_dilate = ${listText(rhs_dilation)}`,
    ].join(', ');
    const rest = `{batch_group_count = 1 : i64, feature_group_count = ${attributes.groups} : i64, ${PRECISE}}`;
    return [
      `${name} = stablehlo.convolution(${operands.join(', ')}) dim_numbers = ${image}x[${spatial.join(', ')}, i, o]->${image}, window = {${window}} ${rest} : (${types.map(typeText).join(', ')}) -> ${typeText(result)}`,
    ];
  },
  simpler: filled({ strides: 1, lhs_dilation: 1, rhs_dilation: 1, low: 0, high: 0 }),
};

/** How elements are combined; the neutral value is where a reduction begins. */
interface Combiner {
  takes(dtype: string): boolean;
  neutral(dtype: string): string;
}

const isNumber = (d: string): boolean => isInteger(d) || isFloat(d);

const lowest = (name: string): string => (isFloat(name) ? '-inf' : String(integersOf(name).lo));
const highest = (name: string): string => (isFloat(name) ? 'inf' : String(integersOf(name).hi));

const COMBINERS: Readonly<Record<string, Combiner>> = {
  add: { takes: isNumber, neutral: () => '0' },
  multiply: { takes: isInteger, neutral: () => '1' },
  maximum: { takes: isNumber, neutral: lowest },
  minimum: { takes: isNumber, neutral: highest },
  and: {
    takes: (d) => isInteger(d) || d === 'pred',
    neutral: (d) => (isUnsigned(d) || d === 'pred' ? highest(d) : '-1'),
  },
  or: { takes: (d) => isInteger(d) || d === 'pred', neutral: () => '0' },
  xor: { takes: isInteger, neutral: () => '0' },
};

const combinerFor = (draft: Draft, name: string): string =>
  draft.random.pick(Object.keys(COMBINERS).filter((c) => COMBINERS[c]!.takes(name)));

/** A region of two scalars with one operation, as lines. */
function combinerLines(op: string, type: TensorType, fresh: () => string): string {
  const [a, b, c] = [fresh(), fresh(), fresh()];
  const t = typeText(scalar(type.dtype));
  return [
    ' ({',
    `^bb0(${a}: ${t}, ${b}: ${t}):`,
    `  ${c} = "stablehlo.${op}"(${a}, ${b}) : (${t}, ${t}) -> ${t}`,
    `  "stablehlo.return"(${c}) : (${t}) -> ()`,
    '})',
  ].join('\n');
}

function reduced(name: string, combiner: string, fact: Fact, terms: number, profile: Profile): Fact {
  switch (combiner) {
    case 'add':
      return sumOf(name, fact, terms, profile);
    case 'maximum':
    case 'minimum':
      // The neutral value of floats is an infinity.
      need(terms > 0 || fact.kind === 'integer', 'nothing to reduce');
      return fact.kind === 'integer' ? integersOf(name) : fact;
    default:
      return integersOf(name);
  }
}

const reduce: Rule<{ combiner: string; dimensions: List }> = {
  weight: 10,
  draft: (draft) => {
    const x = draft.find(({ type }) => type.shape.length >= 1 && !isComplex(type.dtype));
    const { type } = draft.known(x);
    const all = type.shape.map((_, i) => i);
    const dimensions = draft.random.once(3) ? all : all.filter(() => draft.random.once(2));
    return { operands: [x], attributes: { combiner: combinerFor(draft, type.dtype), dimensions } };
  },
  type: ([x], { attributes: { combiner, dimensions } }) => {
    need(COMBINERS[combiner]!.takes(x!.dtype), 'another type');
    needAll(dimensions, (d) => d < x!.shape.length, 'no such dimension');
    return { dtype: x!.dtype, shape: x!.shape.filter((_, i) => !dimensions.includes(i)) };
  },
  fact: ([x], { attributes: { combiner, dimensions } }, { dtype: name }, profile) =>
    reduced(name, combiner, x!.fact, product(dimensions.map((d) => x!.type.shape[d]!)), profile),
  print: (printing, { attributes: { combiner, dimensions } }) =>
    folded(printing, 'reduce', [`dimensions = ${arrayText(dimensions)}`], combiner),
};

/** A reduction that begins with a neutral constant. */
function folded(printing: Printing, op: string, attributes: readonly string[], combiner: string): string[] {
  const [type] = printing.types;
  const neutral = printing.fresh();
  const start = scalar(type!.dtype);
  const value = literal(type!.dtype, COMBINERS[combiner]!.neutral(type!.dtype));
  return [
    `${neutral} = stablehlo.constant dense<${value}> : ${typeText(start)}`,
    generic(
      op,
      { ...printing, operands: [...printing.operands, neutral], types: [...printing.types, start] },
      attributes,
      combinerLines(combiner, type!, printing.fresh),
    ),
  ];
}

/** The attributes of a reduction of windows: a list has a number for each dimension. */
type Windows = Record<'window' | 'strides' | 'low' | 'high' | 'base' | 'dilation', List> & { combiner: string };

const reduceWindow: Rule<Windows> = {
  weight: 4,
  draft: (draft) => {
    const { random } = draft;
    const x = draft.find(({ type }) => type.shape.length >= 1 && !isComplex(type.dtype) && sizeOf(type) <= 20_000);
    const { type } = draft.known(x);
    const list = (of: readonly number[]): number[] => type.shape.map(() => random.pick(of));
    const window = type.shape.map((d) => (random.once(3) ? 1 : random.between(1, Math.max(1, Math.min(4, d)))));
    return {
      operands: [x],
      attributes: {
        combiner: combinerFor(draft, type.dtype),
        window,
        strides: list([1, 1, 2]),
        low: list([0, 0, 1]),
        high: list([0, 0, 1, 2]),
        base: list([1, 1, 1, 2]),
        dilation: list([1, 1, 1, 2]),
      },
    };
  },
  type: ([x], { attributes: { combiner, window, strides, low, high, base, dilation } }) => {
    need(COMBINERS[combiner]!.takes(x!.dtype), 'another type');
    need(window.length === x!.shape.length, 'another rank');
    const shape = x!.shape.map((d, i) => {
      const padded = (d === 0 ? 0 : (d - 1) * base[i]! + 1) + low[i]! + high[i]!;
      const dilated = (window[i]! - 1) * dilation[i]! + 1;
      return padded < dilated ? 0 : Math.floor((padded - dilated) / strides[i]!) + 1;
    });
    return { dtype: x!.dtype, shape };
  },
  fact: ([x], { attributes: { combiner, window, low, high, base } }, { dtype: name }, profile) => {
    if (x!.fact.kind === 'float' && combiner !== 'add') {
      // A window without an element is an infinity.
      needAll([...low, ...high], (n) => n === 0, 'a window may be empty');
      needAll(base, (n) => n === 1, 'a window may be empty');
    }
    return reduced(name, combiner, x!.fact, product(window), profile);
  },
  print: (printing, { attributes: { combiner, window, strides, low, high, base, dilation } }) => {
    const properties = [
      `base_dilations = ${arrayText(base)}`,
      `padding = dense<${pairsText(low, high)}> : tensor<${low.length}x2xi64>`,
      `window_dilations = ${arrayText(dilation)}`,
      `window_dimensions = ${arrayText(window)}`,
      `window_strides = ${arrayText(strides)}`,
    ];
    return folded(printing, 'reduce_window', properties, combiner);
  },
  simpler: filled({ strides: 1, base: 1, dilation: 1, window: 1, low: 0, high: 0 }),
};

/** Updates of rows, combined in any order; those outside are dropped. */
const scatter: Rule<{ combiner: string; map: List; inserted: List }> = {
  weight: 4,
  draft: (draft) => {
    const { random } = draft;
    const x = draft.find(({ type }) => type.shape.length >= 1 && !type.shape.includes(0) && !isComplex(type.dtype));
    const { dtype: name, shape } = draft.known(x).type;
    const map = random.shuffled(shape.map((_, i) => i)).slice(0, random.between(1, shape.length));
    const inserted = [...map].sort((a, b) => a - b);
    const count = random.between(0, 5);
    const of = Array.from({ length: Math.max(1, count) }, () => random.between(-1, 6));
    const windows = shape
      .filter((_, i) => !inserted.includes(i))
      .map((d) => (random.once(3) ? random.between(1, d) : d));
    return {
      operands: [
        x,
        draft.makeOf({ dtype: 's32', shape: [count, map.length] }, of),
        draft.make({ dtype: name, shape: [count, ...windows] }),
      ],
      attributes: { combiner: combinerFor(draft, name), map, inserted },
    };
  },
  type: ([x, starts, update], { attributes: { combiner, map, inserted } }) => {
    need(COMBINERS[combiner]!.takes(x!.dtype) && update!.dtype === x!.dtype, 'another type');
    need(starts!.dtype === 's32' && starts!.shape.length === 2 && starts!.shape[1] === map.length, 'other indices');
    need(inserted.length === map.length, 'other dimensions');
    needAll(map, (d) => d < x!.shape.length && inserted.includes(d), 'other dimensions');
    const windows = x!.shape.filter((_, i) => !inserted.includes(i));
    need(
      update!.shape.length === windows.length + 1 &&
        update!.shape[0] === starts!.shape[0] &&
        windows.every((d, i) => update!.shape[i + 1]! <= d),
      'other updates',
    );
    return x!;
  },
  fact: ([x, , update], { attributes: { combiner } }, { dtype: name }, profile) => {
    const all = union(x!.fact, update!.fact);
    if (all.kind === 'integer') return integersOf(name);
    if (combiner !== 'add') return summed('add', name, all, profile);
    return sumOf(name, all, 1 + update!.type.shape[0]!, profile);
  },
  print: (printing, { attributes: { combiner, map, inserted } }) => {
    const [x, , update] = printing.types;
    const windows = update!.shape.slice(1).map((_, i) => i + 1);
    return [
      generic(
        'scatter',
        printing,
        [
          'indices_are_sorted = false',
          `scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = ${listText(windows)}, inserted_window_dims = ${listText(inserted)}, scatter_dims_to_operand_dims = ${listText(map)}, index_vector_dim = 1>`,
          'unique_indices = false',
        ],
        combinerLines(combiner, x!, printing.fresh),
      ),
    ];
  },
};

/** Rows sorted, by a key if there are two operands; the result is one of them. */
const sort: Rule<{ dimension: number; direction: string; picked: number }> = {
  weight: 6,
  draft: (draft) => {
    const { random } = draft;
    const x = draft.find(({ type, fact }) => type.shape.length >= 1 && isNumber(type.dtype) && isExact(fact));
    const { shape } = draft.known(x).type;
    const pair = random.once(2);
    const operands = pair ? [x, draft.make({ dtype: random.pick(draft.dtypes), shape })] : [x];
    return {
      operands,
      attributes: {
        dimension: random.below(shape.length),
        direction: random.pick(['LT', 'GT']),
        picked: pair ? random.below(2) : 0,
      },
    };
  },
  type: (types, { attributes }) => {
    const [key] = types;
    need(isNumber(key!.dtype) && attributes.dimension < key!.shape.length, 'no such dimension');
    needAll(types, ({ shape }) => sameShape(shape, key!.shape), 'other shapes');
    const picked = types[attributes.picked];
    need(picked !== undefined, 'no such operand');
    return picked;
  },
  fact: (operands, { attributes }) => {
    need(isExact(operands[0]!.fact), 'needs exact values');
    return operands[attributes.picked]!.fact;
  },
  print: (printing, { attributes }) => {
    const { operands, types, name, fresh } = printing;
    const parameters = types.flatMap((type) => [0, 1].map(() => ({ name: fresh(), type: scalar(type.dtype) })));
    const [a, b] = parameters;
    const [verdict, key] = [fresh(), typeText(a!.type)];
    const list = types.map(typeText).join(', ');
    const several = types.length > 1;
    return [
      `${name}${several ? `:${types.length}` : ''} = "stablehlo.sort"(${operands.join(', ')}) <{dimension = ${attributes.dimension} : i64, is_stable = true}> ({`,
      `^bb0(${parameters.map((p) => `${p.name}: ${typeText(p.type)}`).join(', ')}):`,
      `  ${verdict} = "stablehlo.compare"(${a!.name}, ${b!.name}) <{compare_type = #stablehlo<comparison_type ${comparisonType(a!.type.dtype)}>, comparison_direction = #stablehlo<comparison_direction ${attributes.direction}>}> : (${key}, ${key}) -> tensor<i1>`,
      `  "stablehlo.return"(${verdict}) : (tensor<i1>) -> ()`,
      `}) : (${list}) -> ${several ? `(${list})` : list}`,
    ];
  },
  reference: (name, { operands, attributes }) => (operands.length > 1 ? `${name}#${attributes.picked}` : name),
};

/** The rules by operation. */
export const CONTRACTION: Readonly<Record<string, Rule>> = {
  dot_general: dotGeneral,
  convolution,
  reduce,
  reduce_window: reduceWindow,
  scatter,
  sort,
};
