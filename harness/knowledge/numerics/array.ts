/** Dense host arrays: an element type, a shape, and row-major bytes (little-endian, one byte for each element below 8 bits). */

import { type Bits, encode } from './codec.ts';
import type { Scalar } from './data.ts';
import type { DType } from './dtypes.ts';

/** A dense row-major array in host memory. */
export interface HostArray {
  dtype: DType;
  shape: number[];
  bytes: Uint8Array;
}

/** Shape, order and byte length do not match. */
export class ArrayError extends Error {
  override name = 'ArrayError';
}

/** Product of the dimensions. */
export function elementCount(shape: readonly number[]): number {
  let count = 1;
  for (const d of shape) {
    if (!Number.isInteger(d) || d < 0)
      throw new ArrayError(`shape [${shape}] has a dimension that is not an integer ≥ 0`);
    count *= d;
  }
  return count;
}

/**
 * Zeroed bytes that begin at a multiple of `alignment`. JavaScript does not know addresses, so the caller passes `addressOf`;
 * the spare bytes are allocated here.
 */
export function allocBytes(length: number, alignment = 1, addressOf?: (bytes: Uint8Array) => bigint): Uint8Array {
  if (alignment <= 1 || !addressOf) return new Uint8Array(length);
  const roomy = new Uint8Array(length + alignment);
  const skip = Number((BigInt(alignment) - (addressOf(roomy) % BigInt(alignment))) % BigInt(alignment));
  return roomy.subarray(skip, skip + length);
}

/** A zeroed array. */
export function alloc(
  type: DType,
  shape: readonly number[],
  options: { alignment?: number; addressOf?: (bytes: Uint8Array) => bigint } = {},
): HostArray {
  const length = elementCount(shape) * type.hostBytes;
  return { dtype: type, shape: [...shape], bytes: allocBytes(length, options.alignment, options.addressOf) };
}

/** Wraps bytes that are already dense row-major; the length must fit exactly. */
export function fromBytes(type: DType, shape: readonly number[], bytes: Uint8Array): HostArray {
  const need = elementCount(shape) * type.hostBytes;
  if (bytes.length !== need) {
    throw new ArrayError(`${type.name}[${shape}] needs ${need} bytes, got ${bytes.length}`);
  }
  return { dtype: type, shape: [...shape], bytes };
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A function that reads element bits by linear index; cheaper than `bitsAt` in a loop. Sub-byte types are masked. */
export function reader(array: HostArray): (index: number) => Bits {
  const { dtype: type, bytes } = array;
  const view = viewOf(bytes);
  const mask = type.bits < 8 ? (1 << type.bits) - 1 : 0xff;
  switch (type.hostBytes) {
    case 1:
      return (i) => bytes[i]! & mask;
    case 2:
      return (i) => view.getUint16(2 * i, true);
    case 4:
      return (i) => view.getUint32(4 * i, true);
    case 8:
      return (i) => view.getBigUint64(8 * i, true);
    default:
      return (i) => view.getBigUint64(16 * i, true) | (view.getBigUint64(16 * i + 8, true) << 64n);
  }
}

/** A function that writes element bits by linear index. */
export function writer(array: HostArray): (index: number, bits: Bits) => void {
  const { dtype: type, bytes } = array;
  const view = viewOf(bytes);
  switch (type.hostBytes) {
    case 1:
      return (i, b) => {
        bytes[i] = Number(b);
      };
    case 2:
      return (i, b) => view.setUint16(2 * i, Number(b), true);
    case 4:
      return (i, b) => view.setUint32(4 * i, Number(b), true);
    case 8:
      return (i, b) => view.setBigUint64(8 * i, BigInt(b), true);
    default:
      return (i, b) => {
        view.setBigUint64(16 * i, BigInt.asUintN(64, BigInt(b)), true);
        view.setBigUint64(16 * i + 8, BigInt(b) >> 64n, true);
      };
  }
}

/** An array whose elements are computed one after the other, in row-major order. */
export function build(type: DType, shape: readonly number[], bitsOf: (index: number) => Bits): HostArray {
  const array = alloc(type, shape);
  const write = writer(array);
  const count = elementCount(shape);
  for (let i = 0; i < count; i++) write(i, bitsOf(i));
  return array;
}

/** Bits of one element. */
export const bitsAt = (array: HostArray, index: number): Bits => reader(array)(index);

/** An array from element bits, row-major. */
export function fromBits(type: DType, shape: readonly number[], bits: readonly Bits[]): HostArray {
  if (bits.length !== elementCount(shape)) {
    throw new ArrayError(`${type.name}[${shape}] has ${elementCount(shape)} elements, got ${bits.length}`);
  }
  return build(type, shape, (i) => bits[i]!);
}

/** An array from row-major values, each rounded once to nearest even. */
export function fromValues(type: DType, shape: readonly number[], values: readonly (Scalar | bigint)[]): HostArray {
  const encoded = values.map((v) => encode(type, v));
  return fromBits(type, shape, encoded);
}

/** Index tuple of a linear row-major index. */
export function indexOf(shape: readonly number[], linear: number): number[] {
  const index = new Array<number>(shape.length);
  let rest = linear;
  for (let d = shape.length - 1; d >= 0; d--) {
    index[d] = rest % shape[d]!;
    rest = Math.floor(rest / shape[d]!);
  }
  return index;
}

export const isHostArray = (value: unknown): value is HostArray =>
  typeof value === 'object' && value !== null && 'dtype' in value && 'shape' in value && 'bytes' in value;
