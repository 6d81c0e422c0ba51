import { expect, test } from 'vitest';
import { partition, stableHash } from './partition.ts';

const IDS = Array.from({ length: 1000 }, (_, i) => `suite:case-${i}`);

/** The load of each shard. */
const loads = (shards: ReadonlyMap<string, number>, count: number, costs: ReadonlyMap<string, number>): number[] =>
  Array.from({ length: count }, (_, i) =>
    [...shards].filter(([, shard]) => shard === i + 1).reduce((sum, [id]) => sum + (costs.get(id) ?? 0), 0),
  );

test('without durations a case stays in its shard when others come and go', () => {
  const all = partition(IDS, 4);
  const some = partition(IDS.slice(100, 300).reverse(), 4);
  for (const [id, shard] of some) expect(shard).toBe(all.get(id));
  // FNV-1a has published values.
  expect([stableHash(''), stableHash('foobar')]).toEqual([0x811c9dc5, 0xbf9cf968]);
});

test('every case is in one shard', () => {
  const costs = new Map(IDS.slice(0, 500).map((id, i) => [id, i % 7]));
  for (const shards of [partition(IDS, 7), partition(IDS, 7, costs)]) {
    expect([...shards.keys()].sort()).toEqual([...IDS].sort());
    expect(new Set(shards.values())).toEqual(new Set([1, 2, 3, 4, 5, 6, 7]));
  }
});

test('shards are balanced by durations that differ by a factor of a thousand', () => {
  const long = IDS.filter((id) => partition(IDS, 4).get(id) === 1).slice(0, 40);
  const costs = new Map(IDS.map((id, i) => [id, long.includes(id) ? 3000 + i : 3]));
  const hashed = loads(partition(IDS, 4), 4, costs);
  const balanced = loads(partition(IDS, 4, costs), 4, costs);
  const worst = (all: readonly number[]): number => Math.max(...all) / (all.reduce((a, b) => a + b) / all.length);
  expect(worst(hashed)).toBeGreaterThan(3);
  expect(worst(balanced)).toBeLessThan(1.01);
});

test('every task computes the same shards, whatever order it has the cases in', () => {
  const costs = new Map(IDS.slice(0, 900).map((id, i) => [id, (i * 37) % 11]));
  const sorted = (ids: readonly string[]) => [...partition(ids, 5, costs)].sort();
  expect(sorted([...IDS].reverse())).toEqual(sorted(IDS));
});

test('durations of zero are shared evenly, and durations of other cases change nothing', () => {
  const zero = partition(IDS, 4, new Map(IDS.map((id) => [id, 0])));
  for (const shard of [1, 2, 3, 4]) expect([...zero.values()].filter((one) => one === shard)).toHaveLength(250);
  expect(partition(IDS, 4, new Map([['gone:case', 9]]))).toEqual(partition(IDS, 4));
});
