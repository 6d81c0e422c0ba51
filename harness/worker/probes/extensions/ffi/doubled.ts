import type { HostArray } from '../../../../knowledge/numerics/array.ts';

/** Twice an array of f32. */
export function doubled(array: HostArray): HostArray {
  const bytes = array.bytes.slice();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += 4) view.setFloat32(at, 2 * view.getFloat32(at, true), true);
  return { ...array, bytes };
}
