/** The largest magnitude of an array, by which errors of whole programs are measured. */
import type { HostArray } from './array.ts';
import { lanesOf, laneValue } from './lanes.ts';

/** The largest finite magnitude of the elements (complex: of their parts); 0 if there is none, and for integers. */
export function largestMagnitude(array: HostArray): number {
  const { type, count, low, high } = lanesOf(array);
  if (!type.float) return 0;
  const value = laneValue(type);
  let largest = 0;
  for (let i = 0; i < count; i++) {
    const size = Math.abs(value(high(i), low(i)));
    if (size > largest && size < Number.POSITIVE_INFINITY) largest = size;
  }
  return largest;
}
