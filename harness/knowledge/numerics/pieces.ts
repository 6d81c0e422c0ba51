/** Whole arrays and the pieces of them that devices have. */
import { alloc, elementCount, type HostArray } from './array.ts';
import { denseStrides, fromStrided } from './strided.ts';

/** Where the pieces of an array are. All have one shape; dimensions that the whole array has before those have one element. */
export interface Placement {
  shape: number[];
  /** By device: where its piece begins in the whole array. Several devices may have the same piece. */
  starts: number[][];
}

/** The piece at a place. */
export function cut(whole: HostArray, shape: readonly number[], start: readonly number[]): HostArray {
  if (elementCount(shape) === 0) return alloc(whole.dtype, shape);
  const strides = denseStrides(whole.shape, whole.dtype.hostBytes);
  const offset = start.reduce((sum, at, d) => sum + at * strides[d]!, 0);
  const byteStrides = strides.slice(strides.length - shape.length);
  return fromStrided(whole.dtype, shape, { backing: whole.bytes, offset, byteStrides });
}

/** The whole arrays that pieces make up, one piece a device: one, and another for each copy of the pieces on further devices. */
export function join(
  pieces: readonly HostArray[],
  { shape, starts }: Placement,
  whole: readonly number[],
): HostArray[] {
  const seen = new Map<string, number>();
  const wholes: HostArray[] = [];
  for (const [device, start] of starts.entries()) {
    const copy = seen.get(String(start)) ?? 0;
    seen.set(String(start), copy + 1);
    const { dtype } = pieces[device]!;
    wholes[copy] ??= alloc(dtype, whole);
    paste(pieces[device]!, shape, wholes[copy], start);
  }
  return wholes;
}

/** Row by row. */
function paste(piece: HostArray, shape: readonly number[], into: HostArray, start: readonly number[]): void {
  const { hostBytes } = piece.dtype;
  const strides = denseStrides(into.shape, hostBytes);
  const offset = start.reduce((sum, at, d) => sum + at * strides[d]!, 0);
  const outer = strides.slice(strides.length - shape.length, -1);
  const row = (shape.at(-1) ?? 1) * hostBytes;
  for (let from = 0; row > 0 && from < piece.bytes.length; from += row) {
    let [index, to] = [from / row, offset];
    for (let d = shape.length - 2; d >= 0; d -= 1) {
      to += (index % shape[d]!) * outer[d]!;
      index = Math.floor(index / shape[d]!);
    }
    into.bytes.set(piece.bytes.subarray(from, from + row), to);
  }
}
