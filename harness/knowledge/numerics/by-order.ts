import type { UlpByOrder } from '../../model/numeric-record.ts';
import { elementCount, type HostArray } from './array.ts';
import { exponentOf } from './codec.ts';
import { type Comparison, judgeElements } from './compare.ts';
import { lanesOf, laneValue } from './lanes.ts';

/** Bins of each sign. */
const BINS = 32;
/** Larger arrays, which are no tables of operands, have none. */
const LARGEST = 1 << 16;

/**
 * The largest error by the order of the operand, if there is one, else by that of the expected result. Undefined for integers,
 * for complex numbers, and for large arrays. Only for comparisons in which something deviates: it goes through all elements again.
 */
export function ulpByOrder({ expected, actual, policy, options, total }: Comparison): UlpByOrder | undefined {
  const inputs = (options.inputs ?? []).filter(({ shape }) => elementCount(shape) === total);
  const line = inputs.length === 1 ? inputs[0]! : expected;
  const isReal = ({ dtype }: HostArray): boolean => dtype.float !== undefined && dtype.component === undefined;
  if (!isReal(line) || !isReal(expected) || total > LARGEST) return undefined;
  const lanes = lanesOf(line);
  const valueAt = laneValue(lanes.type);
  /** By sign and exponent. */
  const found = { negative: new Map<number, number>(), positive: new Map<number, number>() };
  let zero: number | undefined;
  judgeElements(expected, actual, policy, options, (index, _, ulp, __, absolute) => {
    const value = valueAt(lanes.high(index), lanes.low(index));
    if (absolute || !Number.isFinite(value)) return;
    if (value === 0) zero = Math.max(zero ?? 0, ulp);
    else {
      const side = value < 0 ? found.negative : found.positive;
      const order = exponentOf(Math.abs(value));
      side.set(order, Math.max(side.get(order) ?? 0, ulp));
    }
  });
  const orders = [...new Set([...found.negative.keys(), ...found.positive.keys()])].sort((a, b) => a - b);
  if (orders.length === 0) return undefined;
  const size = Math.ceil(orders.length / BINS);
  const bins = Array.from({ length: Math.ceil(orders.length / size) }, (_, at) => {
    return orders.slice(at * size, (at + 1) * size);
  });
  const binned = (side: ReadonlyMap<number, number>): (number | null)[] =>
    bins.map((bin) => finite(Math.max(-1, ...bin.map((order) => side.get(order) ?? -1))));
  return {
    of: line === expected ? 'result' : 'operand',
    orders: bins.map((bin) => [bin[0]!, bin.at(-1)!]),
    negative: binned(found.negative),
    positive: binned(found.positive),
    ...(zero === undefined ? {} : { zero: finite(zero) }),
  };
}

const finite = (ulp: number): number | null => (Number.isFinite(ulp) ? ulp : null);
