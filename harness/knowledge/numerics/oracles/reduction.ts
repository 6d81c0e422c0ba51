/** Reductions: reduce, argmax, reduce_window, cumsum; and iota along a dimension. */
import { build, elementCount, indexOf, reader } from '../array.ts';
import { encode } from '../codec.ts';
import { type DType, dtype } from '../dtypes.ts';
import { arithmeticOf, type Element, OrderFreeSum } from './exact.ts';
import { linearOf, rowMajor } from './movement.ts';
import { demand, integer, integers, type Oracle, oracle, word } from './parameters.ts';
import { windowOf } from './window.ts';

/** The operations that reductions and scatters combine elements with. */
export const REDUCERS = ['add', 'mul', 'max', 'min', 'and', 'or', 'xor'] as const;
type Reducer = (typeof REDUCERS)[number];

/** Combines elements one by one. */
interface Accumulator {
  add(term: Element): void;
  value(): Element;
}

const bitwise = (name: 'and' | 'or' | 'xor', type: DType): Accumulator => {
  demand(type.kind !== 'float' && type.kind !== 'complex', `"${name}" is not defined on ${type.name}`);
  let all: bigint | undefined;
  return {
    add: (term) => {
      const x = BigInt(term as number | bigint);
      all = all === undefined ? x : name === 'and' ? all & x : name === 'or' ? all | x : all ^ x;
    },
    value: () => {
      const x =
        all ??
        (name !== 'and'
          ? 0n
          : type.kind === 'signed'
            ? -1n
            : type.kind === 'pred'
              ? 1n
              : (1n << BigInt(type.bits)) - 1n);
      return type.bits === 64 ? x : Number(x);
    },
  };
};

/** Combines elements of a type, in an order that must not matter. */
export function accumulator(name: Reducer, type: DType): Accumulator {
  if (name === 'add') return new OrderFreeSum(type);
  if (name === 'and' || name === 'or' || name === 'xor') return bitwise(name, type);
  const t = arithmeticOf(type);
  const combine = name === 'mul' ? t.multiply : name === 'max' ? t.maximum : t.minimum;
  let total: Element | undefined = name === 'mul' ? t.one : undefined;
  return {
    add: (term) => {
      total = total === undefined ? term : combine(total, term);
      // A product must be representable after every factor, because a plugin rounds each partial product.
      if (name === 'mul') t.encode(total);
    },
    value: () => {
      demand(total !== undefined, `"${name}" of no elements has no value here`);
      return total;
    },
  };
}

const reduce = oracle('reduce', 1, ['op', 'dimensions'], ([x], p) => {
  const op = word(p, 'op', REDUCERS, 'add');
  const rank = x!.shape.length;
  const dims = integers(
    p,
    'dimensions',
    x!.shape.map((_, d) => d),
  );
  demand(
    dims.every((d) => d >= 0 && d < rank),
    `dimensions [${dims}] are not among ${rank}`,
  );
  const kept = x!.shape.map((_, d) => d).filter((d) => !dims.includes(d));
  const shape = kept.map((d) => x!.shape[d]!);
  const cells = Array.from({ length: elementCount(shape) }, () => accumulator(op, x!.dtype));
  const t = arithmeticOf(x!.dtype);
  const read = reader(x!);
  const strides = rowMajor(shape);
  const count = elementCount(x!.shape);
  for (let i = 0; i < count; i++) {
    const index = indexOf(x!.shape, i);
    const cell = kept.map((d) => index[d]!);
    cells[linearOf(strides, cell)]!.add(t.decode(read(i)));
  }
  return build(x!.dtype, shape, (i) => t.encode(cells[i]!.value()));
});

/** The index of the largest or smallest element of each line of the last dimension; of equal ones the first, and a NaN wins. */
const argOf = (name: 'argmax' | 'argmin', sign: 1 | -1): [string, Oracle] =>
  oracle(name, 1, ['dtype'], ([x], p) => {
    const to = dtype(typeof p.dtype === 'string' ? p.dtype : 's32');
    const length = x!.shape.at(-1) ?? 0;
    demand(length > 0, `${name} of no elements has no value`);
    const t = arithmeticOf(x!.dtype);
    const read = reader(x!);
    const unordered = (e: Element): boolean => typeof e === 'number' && Number.isNaN(e);
    return build(to, x!.shape.slice(0, -1), (line) => {
      const at = (i: number): Element => t.decode(read(line * length + i));
      let best = 0;
      for (let i = 1; i < length && !unordered(at(best)); i++) {
        if (unordered(at(i)) || sign * t.compare(at(i), at(best)) > 0) best = i;
      }
      return encode(to, best);
    });
  });

/** Padding and the holes of a dilated operand hold nothing, as the initial value is the identity of the operation. */
const reduceWindow = oracle(
  'reduce_window',
  1,
  ['op', 'window', 'strides', 'padding', 'base_dilation', 'window_dilation'],
  ([x], p) => {
    const op = word(p, 'op', REDUCERS, 'add');
    const { shape, taps, at } = windowOf(p, x!.shape, integers(p, 'window'), ['base_dilation', 'window_dilation']);
    const t = arithmeticOf(x!.dtype);
    const read = reader(x!);
    const strides = rowMajor(x!.shape);
    return build(x!.dtype, shape, (i) => {
      const place = indexOf(shape, i);
      const cell = accumulator(op, x!.dtype);
      for (const tap of taps) {
        const index = at(place, tap);
        if (index) cell.add(t.decode(read(linearOf(strides, index))));
      }
      return t.encode(cell.value());
    });
  },
);

const cumsum = oracle('cumsum', 1, ['dimension'], ([x], p) => {
  const d = integer(p, 'dimension', 0);
  demand(d >= 0 && d < x!.shape.length, `"dimension" is ${d}, but there are ${x!.shape.length} dimensions`);
  const t = arithmeticOf(x!.dtype);
  const read = reader(x!);
  const sums = new Map<number, OrderFreeSum>();
  const strides = rowMajor(x!.shape);
  // Row-major order visits every line along `d` from its beginning.
  return build(x!.dtype, x!.shape, (i) => {
    const line = linearOf(strides, indexOf(x!.shape, i).with(d, 0));
    const sum = sums.get(line) ?? new OrderFreeSum(x!.dtype);
    sums.set(line, sum);
    sum.add(t.decode(read(i)));
    return t.encode(sum.value());
  });
});

const iota = oracle('iota', 0, ['dtype', 'shape', 'dimension'], (_, p) => {
  demand(typeof p.dtype === 'string', '"dtype" must name a type');
  const type = dtype(p.dtype);
  const shape = integers(p, 'shape');
  const d = integer(p, 'dimension', 0);
  demand(d >= 0 && d < shape.length, `"dimension" is ${d}, but there are ${shape.length} dimensions`);
  const t = arithmeticOf(type);
  return build(type, shape, (i) => {
    const n = indexOf(shape, i)[d]!;
    return t.encode(type.component ? { re: n, im: 0 } : type.bits === 64 && type.kind !== 'float' ? BigInt(n) : n);
  });
});

/** Reducing oracles, and iota. */
export const REDUCTION: [string, Oracle][] = [
  reduce,
  argOf('argmax', 1),
  argOf('argmin', -1),
  reduceWindow,
  cumsum,
  iota,
];
