/** The hash behind generated data: of a position, under a seed. */

/** A 32-bit integer hash with full avalanche. */
function mix(x: number): number {
  let h = x | 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Hash of linear indices under a seed. */
export function hashOf(seed: number): (index: number) => number {
  const start = mix(seed + 0x9e3779b9);
  return (index) => mix(index + start);
}
