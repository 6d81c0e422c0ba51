/** The windows of reductions and convolutions. */
import { elementCount, indexOf } from '../array.ts';
import { demand, integers, type Parameters } from './parameters.ts';

/** A window that moves over the dimensions of an operand. */
export interface Window {
  /** How many places it has in each dimension. */
  shape: number[];
  /** The indices in it. */
  taps: readonly number[][];
  /** Which element of the operand is at an index of the window in a place; undefined for padding and holes. */
  at(place: readonly number[], tap: readonly number[]): number[] | undefined;
}

/**
 * Reads `strides`, `padding` and dilations.
 * @param sizes of the operand @param window its sizes @param dilations their names: of the operand, of the window
 */
export function windowOf(
  p: Parameters,
  sizes: readonly number[],
  window: readonly number[],
  dilations: readonly [base: string, window: string],
): Window {
  const each = (key: string, fallback: number, count = sizes.length): readonly number[] => {
    const list = integers(p, key, new Array<number>(count).fill(fallback));
    demand(list.length === count, `"${key}" has ${list.length} entries`);
    return list;
  };
  demand(window.length === sizes.length, `"window" has ${window.length} entries`);
  const stride = each('strides', 1);
  const padding = each('padding', 0, 2 * sizes.length);
  const [base, dilation] = dilations.map((key) => each(key, 1)) as [readonly number[], readonly number[]];
  const spread = (n: number, by: number): number => (n === 0 ? 0 : (n - 1) * by + 1);
  return {
    shape: sizes.map((n, d) => {
      const room = spread(n, base[d]!) + padding[2 * d]! + padding[2 * d + 1]! - spread(window[d]!, dilation[d]!);
      return Math.max(Math.floor(room / stride[d]!) + 1, 0);
    }),
    taps: Array.from({ length: elementCount(window) }, (_, k) => indexOf(window, k)),
    at: (place, tap) => {
      const at = tap.map((k, d) => (place[d]! * stride[d]! + k * dilation[d]! - padding[2 * d]!) / base[d]!);
      return at.every((n, d) => Number.isInteger(n) && n >= 0 && n < sizes[d]!) ? at : undefined;
    },
  };
}
