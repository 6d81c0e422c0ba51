/** Operations that only move elements: bits are copied unchanged, including NaN payloads. */
import { alloc, elementCount, fromBytes, type HostArray, indexOf, reader } from '../array.ts';
import { type DType, dtype } from '../dtypes.ts';
import { arithmeticOf } from './exact.ts';
import { demand, integer, integers, type Oracle, oracle, type Parameters } from './parameters.ts';

/** Row-major strides in elements. */
export function rowMajor(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = step;
    step *= shape[d]!;
  }
  return strides;
}

/** Linear index of an index tuple. */
export const linearOf = (strides: readonly number[], index: readonly number[]): number =>
  index.reduce((sum, n, d) => sum + n * strides[d]!, 0);

/** Builds an array from the elements at the indices given by `source`. */
function gathered(
  type: DType,
  shape: readonly number[],
  source: (index: number[]) => readonly [HostArray, number],
): HostArray {
  const out = alloc(type, shape);
  const item = type.hostBytes;
  const count = elementCount(shape);
  for (let i = 0; i < count; i++) {
    const [from, at] = source(indexOf(shape, i));
    for (let b = 0; b < item; b++) out.bytes[i * item + b] = from.bytes[at * item + b]!;
  }
  return out;
}

/** Builds an array from the elements of another at the indices given by `source`. */
function moved(x: HostArray, shape: readonly number[], source: (index: number[]) => readonly number[]): HostArray {
  const strides = rowMajor(x.shape);
  return gathered(x.dtype, shape, (index) => [x, linearOf(strides, source(index))]);
}

const permutation = (p: readonly number[], rank: number): readonly number[] => {
  demand(
    [...p].sort((a, b) => a - b).join() === Array.from({ length: rank }, (_, d) => d).join(),
    `[${p}] is not a permutation of ${rank} dimensions`,
  );
  return p;
};

const axis = (parameters: Parameters, key: string, rank: number, fallback?: number): number => {
  const d = integer(parameters, key, fallback);
  demand(d >= 0 && d < rank, `"${key}" is ${d}, but there are ${rank} dimensions`);
  return d;
};

const sized = (list: readonly number[], rank: number, what: string): readonly number[] => {
  demand(list.length === rank, `"${what}" has ${list.length} entries for ${rank} dimensions`);
  return list;
};

const fullOf = (rank: number, value: number): number[] => new Array<number>(rank).fill(value);

const transpose = oracle('transpose', 1, ['permutation'], ([x], p) => {
  const reversed = [...x!.shape.keys()].reverse();
  const order = permutation(integers(p, 'permutation', reversed), reversed.length);
  const places = [...order.keys()].map((d) => order.indexOf(d));
  return moved(
    x!,
    order.map((d) => x!.shape[d]!),
    (index) => places.map((d) => index[d]!),
  );
});

const reshape = oracle('reshape', 1, ['shape'], ([x], p) => {
  const shape = integers(p, 'shape');
  demand(elementCount(shape) === elementCount(x!.shape), `[${x!.shape}] has not as many elements as [${shape}]`);
  return fromBytes(x!.dtype, shape, x!.bytes.slice());
});

const broadcastInDim = oracle('broadcast_in_dim', 1, ['shape', 'dims'], ([x], p) => {
  const shape = integers(p, 'shape');
  const dims = sized(integers(p, 'dims', []), x!.shape.length, 'dims');
  dims.forEach((d, i) => {
    demand(
      x!.shape[i] === 1 || x!.shape[i] === shape[d],
      `dimension ${i} of size ${x!.shape[i]} cannot become ${shape[d]}`,
    );
  });
  return moved(x!, shape, (index) => dims.map((d, i) => (x!.shape[i] === 1 ? 0 : index[d]!)));
});

const slice = oracle('slice', 1, ['start', 'limit', 'strides'], ([x], p) => {
  const rank = x!.shape.length;
  const start = sized(integers(p, 'start'), rank, 'start');
  const limit = sized(integers(p, 'limit'), rank, 'limit');
  const step = sized(integers(p, 'strides', fullOf(rank, 1)), rank, 'strides');
  for (let d = 0; d < rank; d++) {
    const fits = 0 <= start[d]! && start[d]! <= limit[d]! && limit[d]! <= x!.shape[d]! && step[d]! > 0;
    demand(fits, `slice ${start[d]}:${limit[d]}:${step[d]} does not fit dimension ${d} of size ${x!.shape[d]}`);
  }
  const shape = start.map((from, d) => Math.ceil((limit[d]! - from) / step[d]!));
  return moved(x!, shape, (index) => index.map((n, d) => start[d]! + n * step[d]!));
});

const concatenate = oracle('concatenate', { min: 1 }, ['dimension'], (args, p) => {
  const first = args[0]!;
  const d = axis(p, 'dimension', first.shape.length, 0);
  for (const a of args) {
    const same = a.dtype.name === first.dtype.name && a.shape.every((n, i) => i === d || n === first.shape[i]);
    demand(
      same && a.shape.length === first.shape.length,
      `${a.dtype.name}[${a.shape}] cannot be joined to ${first.dtype.name}[${first.shape}]`,
    );
  }
  const shape = first.shape.map((n, i) => (i === d ? args.reduce((sum, a) => sum + a.shape[d]!, 0) : n));
  return gathered(first.dtype, shape, (index) => {
    let at = index[d]!;
    const from = args.find((a) => {
      if (at < a.shape[d]!) return true;
      at -= a.shape[d]!;
      return false;
    })!;
    return [from, linearOf(rowMajor(from.shape), index.with(d, at))];
  });
});

const pad = oracle('pad', 2, ['low', 'high', 'interior'], ([x, value], p) => {
  const rank = x!.shape.length;
  demand(
    value!.shape.length === 0 && value!.dtype.name === x!.dtype.name,
    'the padding value is a scalar of the same type',
  );
  const low = sized(integers(p, 'low'), rank, 'low');
  const high = sized(integers(p, 'high'), rank, 'high');
  const interior = sized(integers(p, 'interior', fullOf(rank, 0)), rank, 'interior');
  const strides = rowMajor(x!.shape);
  const shape = x!.shape.map((n, d) => low[d]! + n + Math.max(n - 1, 0) * interior[d]! + high[d]!);
  return gathered(x!.dtype, shape, (index) => {
    const from = index.map((n, d) => (n - low[d]!) / (interior[d]! + 1));
    const inside = from.every((n, d) => Number.isInteger(n) && n >= 0 && n < x!.shape[d]!);
    return inside ? [x!, linearOf(strides, from)] : [value!, 0];
  });
});

const reverse = oracle('reverse', 1, ['dimensions'], ([x], p) => {
  const dims = integers(p, 'dimensions');
  return moved(x!, x!.shape, (index) => index.map((n, d) => (dims.includes(d) ? x!.shape[d]! - 1 - n : n)));
});

const clampTo = (n: number, last: number): number => Math.min(Math.max(n, 0), last);

const indexReader = (indices: HostArray): ((i: number) => number) => {
  const t = arithmeticOf(indices.dtype);
  demand(indices.dtype.kind === 'signed' || indices.dtype.kind === 'unsigned', 'indices are integers');
  const read = reader(indices);
  return (i) => Number(t.decode(read(i)));
};

const take = oracle('take', 2, ['axis'], ([x, indices], p) => {
  const d = axis(p, 'axis', x!.shape.length, 0);
  const at = indexReader(indices!);
  const depth = indices!.shape.length;
  const shape = [...x!.shape.slice(0, d), ...indices!.shape, ...x!.shape.slice(d + 1)];
  const inner = rowMajor(indices!.shape);
  return moved(x!, shape, (index) => {
    const row = clampTo(at(linearOf(inner, index.slice(d, d + depth))), x!.shape[d]! - 1);
    return index.toSpliced(d, depth, row);
  });
});

/** Start indices of the dynamic slices: scalars, clamped so that the window fits. */
const starts = (x: HostArray, scalars: readonly HostArray[], sizes: readonly number[]): number[] => {
  demand(scalars.length === x.shape.length, `${scalars.length} start indices for ${x.shape.length} dimensions`);
  return scalars.map((s, d) => clampTo(indexReader(s)(0), x.shape[d]! - sizes[d]!));
};

const dynamicSlice = oracle('dynamic_slice', { min: 1 }, ['sizes'], ([x, ...scalars], p) => {
  const sizes = sized(integers(p, 'sizes'), x!.shape.length, 'sizes');
  const from = starts(x!, scalars, sizes);
  return moved(x!, sizes, (index) => index.map((n, d) => n + from[d]!));
});

const dynamicUpdateSlice = oracle('dynamic_update_slice', { min: 2 }, [], ([x, update, ...scalars]) => {
  demand(
    update!.dtype.name === x!.dtype.name && update!.shape.length === x!.shape.length,
    'the update does not fit the operand',
  );
  const from = starts(x!, scalars, update!.shape);
  const [outer, inner] = [rowMajor(x!.shape), rowMajor(update!.shape)];
  return gathered(x!.dtype, x!.shape, (index) => {
    const at = index.map((n, d) => n - from[d]!);
    const inside = at.every((n, d) => n >= 0 && n < update!.shape[d]!);
    return inside ? [update!, linearOf(inner, at)] : [x!, linearOf(outer, index)];
  });
});

const bitcast = oracle('bitcast_convert', 1, ['dtype'], ([x], p) => {
  demand(typeof p.dtype === 'string', '"dtype" must name the type to convert to');
  const to = dtype(p.dtype);
  demand(to.bits === x!.dtype.bits, `${x!.dtype.name} and ${to.name} differ in width`);
  return fromBytes(to, x!.shape, x!.bytes.slice());
});

const sort = oracle('sort', 1, ['dimension', 'descending'], ([x], p) => {
  const d = axis(p, 'dimension', x!.shape.length, x!.shape.length - 1);
  const sign = p.descending === true ? -1 : 1;
  const t = arithmeticOf(x!.dtype);
  const read = reader(x!);
  const strides = rowMajor(x!.shape);
  const lines = new Map<number, number[]>();
  const lineOf = (index: readonly number[]): number[] => {
    const first = linearOf(strides, index.with(d, 0));
    let line = lines.get(first);
    if (!line) {
      line = Array.from({ length: x!.shape[d]! }, (_, i) => first + i * strides[d]!);
      const keys = new Map(line.map((at) => [at, t.decode(read(at))]));
      line.sort((a, b) => {
        const order = t.compare(keys.get(a)!, keys.get(b)!);
        demand(!Number.isNaN(order), 'unordered elements have no place in a sort');
        return sign * order;
      });
      lines.set(first, line);
    }
    return line;
  };
  return gathered(x!.dtype, x!.shape, (index) => [x!, lineOf(index)[index[d]!]!]);
});

/** Oracles that move elements. */
export const MOVEMENT: [string, Oracle][] = [
  transpose,
  reshape,
  broadcastInDim,
  slice,
  concatenate,
  pad,
  reverse,
  take,
  dynamicSlice,
  dynamicUpdateSlice,
  bitcast,
  sort,
];
