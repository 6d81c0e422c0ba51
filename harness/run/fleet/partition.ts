/** A case without a measurable duration still costs something: otherwise one shard would get all of them. */
const LEAST_MS = 0.1;

/**
 * The shard of each case, from 1 to `count`. Every task computes the same one alone, in whatever order it has the ids.
 *
 * Without durations, by a hash of the id: a case stays in its shard when others come and go. With durations, by the longest
 * processing time first (Graham 1969): cases in descending order, each to the shard that has the least so far; cases that were
 * never measured go first, by their hash, at the mean cost.
 * @param durations milliseconds by case id
 */
export function partition(
  ids: readonly string[],
  count: number,
  durations: ReadonlyMap<string, number> = new Map(),
): Map<string, number> {
  const byHash = (id: string): number => stableHash(id) % count;
  const measured = ids
    .filter((id) => durations.has(id))
    .map((id) => ({ id, ms: Math.max(LEAST_MS, durations.get(id)!) }))
    .sort((a, b) => b.ms - a.ms || (a.id < b.id ? -1 : 1));
  const mean = measured.reduce((sum, { ms }) => sum + ms, 0) / Math.max(1, measured.length);
  const loads = new Float64Array(count);
  const shards = new Map<string, number>();
  for (const id of ids) {
    if (durations.has(id)) continue;
    shards.set(id, byHash(id) + 1);
    loads[byHash(id)]! += mean;
  }
  for (const { id, ms } of measured) {
    const least = loads.indexOf(Math.min(...loads));
    shards.set(id, least + 1);
    loads[least]! += ms;
  }
  return shards;
}

/** FNV-1a of the UTF-8 bytes: the same on every machine and in every release, so that shards stay comparable. */
export function stableHash(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash;
}
