/** Host arrays in other memory orders: minor-to-major permutations and arbitrary byte strides. */
import { ArrayError, alloc, elementCount, type HostArray } from './array.ts';
import type { DType } from './dtypes.ts';

/** Memory that holds an array with gaps, reversals or in another order; element 0 is at `offset`. */
interface Strided {
  backing: Uint8Array;
  /** Position in `backing` of the element with index (0, …, 0). */
  offset: number;
  byteStrides: number[];
}

/** Byte strides of a dense array with this minor-to-major order (default row-major). */
export function denseStrides(shape: readonly number[], itemBytes: number, minorToMajor?: readonly number[]): number[] {
  const order = minorToMajor ?? shape.map((_, d) => shape.length - 1 - d);
  if (order.length !== shape.length || [...order].sort((a, b) => a - b).some((d, i) => d !== i)) {
    throw new ArrayError(`[${order}] is not a minor-to-major order of ${shape.length} dimensions`);
  }
  const strides = new Array<number>(shape.length);
  let step = itemBytes;
  for (const d of order) {
    strides[d] = step;
    step *= Math.max(shape[d]!, 1);
  }
  return strides;
}

/** Lowest and one-past-highest byte that the strides reach, relative to the element at index 0. */
function extent(
  shape: readonly number[],
  strides: readonly number[],
  itemBytes: number,
): { low: number; high: number } {
  if (elementCount(shape) === 0) return { low: 0, high: 0 };
  let low = 0;
  let high = itemBytes;
  shape.forEach((n, d) => {
    const reach = (n - 1) * strides[d]!;
    if (reach < 0) low += reach;
    else high += reach;
  });
  return { low, high };
}

/**
 * Calls `visit` with the byte position of every run of elements that lie in memory as in a row-major array, in row-major order,
 * with the position that the run has in such an array, and its length in bytes.
 */
function walk(
  shape: readonly number[],
  strides: readonly number[],
  itemBytes: number,
  visit: (at: number, dense: number, bytes: number) => void,
): void {
  let run = itemBytes;
  let outer = shape.length;
  while (outer > 0 && (strides[outer - 1] === run || shape[outer - 1] === 1)) run *= shape[--outer]!;
  const total = elementCount(shape) * itemBytes;
  const index = new Array<number>(outer).fill(0);
  let at = 0;
  for (let dense = 0; dense < total; dense += run) {
    visit(at, dense, run);
    for (let d = outer - 1; d >= 0; d--) {
      at += strides[d]!;
      if (++index[d]! < shape[d]!) break;
      at -= strides[d]! * shape[d]!;
      index[d] = 0;
    }
  }
}

/** Layout of an array: an order, or strides that override it. Gaps are filled with `filler`. */
interface Arrangement {
  /** Minor-to-major order of the dimensions. */
  order?: readonly number[];
  /** Byte strides; may be negative, zero (a repeated dimension) or larger than dense. */
  strides?: readonly number[];
  /** Byte value of the memory between elements (default 0xa5). */
  filler?: number;
}

/** Writes a dense array in another memory order. Elements that share memory must be equal. */
export function toStrided(array: HostArray, how: Arrangement): Strided {
  const { shape, bytes, dtype: type } = array;
  const item = type.hostBytes;
  const strides = [...(how.strides ?? denseStrides(shape, item, how.order))];
  if (strides.length !== shape.length) {
    throw new ArrayError(`${strides.length} byte strides were given for ${shape.length} dimensions`);
  }
  const { low, high } = extent(shape, strides, item);
  const backing = new Uint8Array(high - low).fill(how.filler ?? 0xa5);
  walk(shape, strides, item, (at, dense, count) => {
    backing.set(bytes.subarray(dense, dense + count), at - low);
  });
  const strided = { backing, offset: -low, byteStrides: strides };
  const back = fromStrided(type, shape, strided).bytes;
  if (!back.every((b, i) => b === bytes[i])) {
    throw new ArrayError(`with byte strides [${strides}] elements of different value would share memory`);
  }
  return strided;
}

/** Reads a strided array back into a dense one. */
export function fromStrided(type: DType, shape: readonly number[], source: Strided): HostArray {
  const array = alloc(type, shape);
  const item = type.hostBytes;
  const { low, high } = extent(shape, source.byteStrides, item);
  if (source.offset + low < 0 || source.offset + high > source.backing.length) {
    throw new ArrayError(`byte strides [${source.byteStrides}] reach outside ${source.backing.length} bytes of memory`);
  }
  walk(shape, source.byteStrides, item, (at, dense, count) => {
    const from = source.offset + at;
    array.bytes.set(source.backing.subarray(from, from + count), dense);
  });
  return array;
}
