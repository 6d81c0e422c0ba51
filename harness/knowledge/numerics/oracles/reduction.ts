/** Reductions: reduce, argmax, reduce_window, cumsum, scatter_add; and iota along a dimension. */
import { alloc, elementCount, type HostArray, indexOf, reader, writer } from '../array.ts';
import { encode } from '../codec.ts';
import { type DType, dtype } from '../dtypes.ts';
import { arithmeticOf, type Element, OrderFreeSum } from './exact.ts';
import { linearOf, rowMajor } from './movement.ts';
import { demand, integer, integers, type Oracle, oracle, word } from './parameters.ts';

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
  const out = alloc(
    x!.dtype,
    kept.map((d) => x!.shape[d]!),
  );
  const cells = Array.from({ length: elementCount(out.shape) }, () => accumulator(op, x!.dtype));
  const t = arithmeticOf(x!.dtype);
  const read = reader(x!);
  const strides = rowMajor(out.shape);
  const count = elementCount(x!.shape);
  for (let i = 0; i < count; i++) {
    const index = indexOf(x!.shape, i);
    cells[
      linearOf(
        strides,
        kept.map((d) => index[d]!),
      )
    ]!.add(t.decode(read(i)));
  }
  const write = writer(out);
  cells.forEach((cell, i) => {
    write(i, t.encode(cell.value()));
  });
  return out;
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
    const out = alloc(to, x!.shape.slice(0, -1));
    const write = writer(out);
    const count = elementCount(out.shape);
    for (let line = 0; line < count; line++) {
      const at = (i: number): Element => t.decode(read(line * length + i));
      let best = 0;
      for (let i = 1; i < length && !unordered(at(best)); i++) {
        if (unordered(at(i)) || sign * t.compare(at(i), at(best)) > 0) best = i;
      }
      write(line, encode(to, best));
    }
    return out;
  });

/** Padding and the holes of a dilated operand hold nothing, as the initial value is the identity of the operation. */
const reduceWindow = oracle(
  'reduce_window',
  1,
  ['op', 'window', 'strides', 'padding', 'base_dilation', 'window_dilation'],
  ([x], p) => {
    const op = word(p, 'op', REDUCERS, 'add');
    const rank = x!.shape.length;
    const each = (key: string, fallback?: number[]): readonly number[] => {
      const list = integers(p, key, fallback);
      demand(list.length === (key === 'padding' ? 2 * rank : rank), `"${key}" has ${list.length} entries`);
      return list;
    };
    const ones = new Array<number>(rank).fill(1);
    const window = each('window');
    const step = each('strides', ones);
    const padding = each('padding', new Array<number>(2 * rank).fill(0));
    const base = each('base_dilation', ones);
    const dilation = each('window_dilation', ones);
    const spread = (n: number, by: number): number => (n === 0 ? 0 : (n - 1) * by + 1);
    const shape = x!.shape.map((n, d) => {
      const room = spread(n, base[d]!) + padding[2 * d]! + padding[2 * d + 1]! - spread(window[d]!, dilation[d]!);
      return Math.max(Math.floor(room / step[d]!) + 1, 0);
    });
    const out = alloc(x!.dtype, shape);
    const t = arithmeticOf(x!.dtype);
    const read = reader(x!);
    const write = writer(out);
    const strides = rowMajor(x!.shape);
    const taps = Array.from({ length: elementCount(window) }, (_, k) => indexOf(window, k));
    const count = elementCount(shape);
    for (let i = 0; i < count; i++) {
      const index = indexOf(shape, i);
      const cell = accumulator(op, x!.dtype);
      for (const tap of taps) {
        const at = tap.map((k, d) => (index[d]! * step[d]! + k * dilation[d]! - padding[2 * d]!) / base[d]!);
        if (at.every((n, d) => Number.isInteger(n) && n >= 0 && n < x!.shape[d]!)) {
          cell.add(t.decode(read(linearOf(strides, at))));
        }
      }
      write(i, t.encode(cell.value()));
    }
    return out;
  },
);

const cumsum = oracle('cumsum', 1, ['dimension'], ([x], p) => {
  const d = integer(p, 'dimension', 0);
  demand(d >= 0 && d < x!.shape.length, `"dimension" is ${d}, but there are ${x!.shape.length} dimensions`);
  const t = arithmeticOf(x!.dtype);
  const read = reader(x!);
  const out = alloc(x!.dtype, x!.shape);
  const write = writer(out);
  const sums = new Map<number, OrderFreeSum>();
  const strides = rowMajor(x!.shape);
  const count = elementCount(x!.shape);
  // Row-major order visits every line along `d` from its beginning.
  for (let i = 0; i < count; i++) {
    const line = linearOf(strides, indexOf(x!.shape, i).with(d, 0));
    const sum = sums.get(line) ?? new OrderFreeSum(x!.dtype);
    sums.set(line, sum);
    sum.add(t.decode(read(i)));
    write(i, t.encode(sum.value()));
  }
  return out;
});

/** operand[indices[i], …] += updates[i, …]; an index out of bounds is skipped, as in StableHLO's scatter. */
const scatterAdd = oracle('scatter_add', 3, [], ([operand, indices, updates]) => {
  const x = operand!;
  const u = updates!;
  const fits =
    u.shape.length === x.shape.length &&
    u.shape.every((n, d) => (d === 0 ? n === indices!.shape[0] : n === x.shape[d]));
  demand(
    indices!.shape.length === 1 && fits,
    `updates [${u.shape}] do not fit operand [${x.shape}] and indices [${indices!.shape}]`,
  );
  const t = arithmeticOf(x.dtype);
  const ti = arithmeticOf(indices!.dtype);
  const [readX, readU, readI] = [reader(x), reader(u), reader(indices!)];
  const cells = Array.from({ length: elementCount(x.shape) }, (_, i) => {
    const cell = new OrderFreeSum(x.dtype);
    cell.add(t.decode(readX(i)));
    return cell;
  });
  const row = elementCount(x.shape.slice(1));
  for (let i = 0; i < indices!.shape[0]!; i++) {
    const at = Number(ti.decode(readI(i)));
    if (at < 0 || at >= x.shape[0]!) continue;
    for (let j = 0; j < row; j++) cells[at * row + j]!.add(t.decode(readU(i * row + j)));
  }
  const out = alloc(x.dtype, x.shape);
  const write = writer(out);
  cells.forEach((cell, i) => {
    write(i, t.encode(cell.value()));
  });
  return out;
});

const iota = oracle('iota', 0, ['dtype', 'shape', 'dimension'], (_, p) => {
  demand(typeof p.dtype === 'string', '"dtype" must name a type');
  const type = dtype(p.dtype);
  const shape = integers(p, 'shape');
  const d = integer(p, 'dimension', 0);
  demand(d >= 0 && d < shape.length, `"dimension" is ${d}, but there are ${shape.length} dimensions`);
  const t = arithmeticOf(type);
  const out: HostArray = alloc(type, shape);
  const write = writer(out);
  const count = elementCount(shape);
  for (let i = 0; i < count; i++) {
    const n = indexOf(shape, i)[d]!;
    write(i, t.encode(type.component ? { re: n, im: 0 } : type.bits === 64 && type.kind !== 'float' ? BigInt(n) : n));
  }
  return out;
});

/** Reducing oracles, and iota. */
export const REDUCTION: [string, Oracle][] = [
  reduce,
  argOf('argmax', 1),
  argOf('argmin', -1),
  reduceWindow,
  cumsum,
  scatterAdd,
  iota,
];
