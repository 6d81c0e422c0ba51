/** Things by a key of theirs, in the order in which the keys first occur. */
export function groupedBy<T, K>(things: Iterable<T>, keyOf: (thing: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const thing of things) {
    const key = keyOf(thing);
    const group = groups.get(key);
    if (group) group.push(thing);
    else groups.set(key, [thing]);
  }
  return groups;
}

/** How often each value occurs, in the order in which they first do. */
export const tallied = <K>(values: Iterable<K>): Map<K, number> =>
  new Map([...groupedBy(values, (value) => value)].map(([value, all]) => [value, all.length]));
