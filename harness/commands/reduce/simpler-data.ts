/** Smaller and plainer arrays in the place of those that a program was given. */
import { fromBytes, type HostArray } from '../../knowledge/numerics/array.ts';
import { generate } from '../../knowledge/numerics/generate.ts';

/** Plain contents of an array, the plainest first; without those that it has already, or that are as plain. */
export function plainer(array: HostArray): HostArray[] {
  const { dtype, shape } = array;
  const of = { dtype: dtype.name, shape };
  const plain = [
    generate({ fill: { ...of, value: 0 } }),
    generate({ fill: { ...of, value: 1 } }),
    generate({ iota: of }),
    uniform(array),
  ];
  const same = plain.findIndex(({ bytes }) => Buffer.from(bytes).equals(array.bytes));
  return same < 0 ? plain : plain.slice(0, same);
}

/** The first element everywhere. */
function uniform({ dtype, shape, bytes }: HostArray): HostArray {
  const first = Buffer.from(bytes.subarray(0, dtype.hostBytes));
  return fromBytes(dtype, shape, Buffer.alloc(bytes.length, first));
}

/** The first elements in each dimension. @param shape as many dimensions, none of them larger */
export function cropped({ dtype, shape: from, bytes }: HostArray, shape: readonly number[]): HostArray {
  const size = dtype.hostBytes;
  const part = (level: number, at: number): Uint8Array[] => {
    if (level === shape.length) return [bytes.subarray(at * size, (at + 1) * size)];
    const stride = from.slice(level + 1).reduce((n, d) => n * d, 1);
    if (level === shape.length - 1) return [bytes.subarray(at * size, (at + shape[level]!) * size)];
    return Array.from({ length: shape[level]! }, (_, i) => part(level + 1, at + i * stride)).flat();
  };
  return fromBytes(dtype, shape, Buffer.concat(part(0, 0)));
}
