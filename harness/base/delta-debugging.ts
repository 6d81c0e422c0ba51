/** Delta debugging (Zeller and Hildebrandt 2002): makes a list that fails shorter. */

/** What is made shorter, and how that is judged. */
interface Failing<T> {
  /** Names a member: lists of the same members are tried once. */
  key: (member: T) => string | number;
  /** A list without what cannot be had without the rest, or with what the rest needs. */
  possible: (list: readonly T[]) => readonly T[];
  /** Which of these lists fail as the first one does; called with several at a time, since each call costs a process. */
  fails: (lists: readonly (readonly T[])[]) => Promise<boolean[]>;
}

/** The shortest list found: no member of it can be left out alone. @param list one that fails */
export async function shortest<T>(list: readonly T[], how: Failing<T>): Promise<readonly T[]> {
  let best = list;
  for (let parts = 2; best.length > 1; ) {
    const found = await firstFailing(without(best, parts).map(how.possible), best.length, how);
    if (found) {
      best = found;
      parts = Math.max(2, Math.min(found.length, parts - 1));
    } else if (parts >= best.length) break;
    else parts = Math.min(best.length, parts * 2);
  }
  return best;
}

/** The shortest of these lists that fails, if one does that is shorter than this. */
export async function firstFailing<T>(
  lists: readonly (readonly T[])[],
  length: number,
  { key, fails }: Pick<Failing<T>, 'key' | 'fails'>,
): Promise<readonly T[] | undefined> {
  const shorter = [...new Map(lists.map((one) => [one.map(key).join(), one])).values()]
    .filter((one) => one.length < length)
    .sort((a, b) => a.length - b.length);
  if (shorter.length === 0) return undefined;
  const failing = await fails(shorter);
  return shorter[failing.indexOf(true)];
}

/** The list without each of so many parts, and each part alone. */
function without<T>(list: readonly T[], parts: number): (readonly T[])[] {
  const bounds = Array.from({ length: parts + 1 }, (_, i) => Math.round((i * list.length) / parts));
  return Array.from({ length: parts }, (_, i) => [bounds[i]!, bounds[i + 1]!] as const).flatMap(([from, to]) => [
    list.slice(from, to),
    [...list.slice(0, from), ...list.slice(to)],
  ]);
}
