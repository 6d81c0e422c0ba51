import type { HostArray } from './array.ts';
import { CloseDoubles } from './close-doubles.ts';
import type { CloseElements, Closeness } from './close-elements.ts';
import { CloseLanes } from './close-lanes.ts';
import { ClosePairs } from './close-pairs.ts';

/** Undefined for types that have no fast way: those below a byte, and floats without the usual layout. */
export function closeArrays(expected: HostArray, actual: HostArray, closeness: Closeness): CloseElements | undefined {
  const { component } = expected.dtype;
  if (!component) return lanesOf(expected, actual, closeness);
  const parts = ({ shape, bytes }: HostArray): HostArray => ({ dtype: component, shape: [...shape, 2], bytes });
  const lanes = lanesOf(parts(expected), parts(actual), closeness);
  return lanes && new ClosePairs(lanes, expected.bytes.length / expected.dtype.hostBytes);
}

const lanesOf = (expected: HostArray, actual: HostArray, closeness: Closeness) =>
  CloseLanes.of(expected, actual, closeness) ?? CloseDoubles.of(expected, actual, closeness);
