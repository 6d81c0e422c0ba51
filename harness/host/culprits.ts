/** The cases after which another fails, and without which it passes. */
export interface Culprits<T> {
  /** In the order in which they ran. */
  cases: readonly T[];
  /** Whether none of them can be left out. */
  minimal: boolean;
}

/** Whether a case fails after these, in a new process; undefined if that can't be tried any more. */
type Fails<T> = (earlier: readonly T[]) => Promise<boolean | undefined>;

const KNOWN = 3;

/**
 * Searches the cases that ran before another in its process: the last one, the last two, four, eight …; then delta debugging
 * (Zeller and Hildebrandt 2002) over the first of these after which it fails. If it is one of n cases, that takes about
 * 3 log2(n) processes.
 * @param known what others were found to fail after: the last of these are tried first, each alone
 * @returns undefined if it does not fail after all of them either; `untried` if that is not known
 */
export async function culpritsAmong<T>(
  earlier: readonly T[],
  known: (one: T) => boolean,
  fails: Fails<T>,
): Promise<Culprits<T> | 'untried' | undefined> {
  for (const one of earlier.filter(known).slice(-KNOWN)) if (await fails([one])) return { cases: [one], minimal: true };
  for (let count = 1; ; count *= 2) {
    const last = earlier.slice(-count);
    const seen = await fails(last);
    if (seen) return shortened(last, fails);
    if (seen === undefined) return 'untried';
    if (count >= earlier.length) return undefined;
  }
}

/** Delta debugging. The first half is tried first: without it the case has just passed. */
async function shortened<T>(failing: readonly T[], fails: Fails<T>): Promise<Culprits<T>> {
  let cases = failing;
  for (let parts = 2; cases.length > 1; ) {
    const found = await firstFailing(candidates(cases, parts), fails);
    if (found === undefined) return { cases, minimal: false };
    if (found.length > 0) {
      parts = found.length <= Math.ceil(cases.length / parts) ? 2 : Math.max(2, parts - 1);
      cases = found;
    } else if (parts >= cases.length) break;
    else parts = Math.min(cases.length, 2 * parts);
  }
  return { cases, minimal: true };
}

/** Each part of a list, and the list without each part. */
function candidates<T>(cases: readonly T[], parts: number): readonly (readonly T[])[] {
  const size = Math.ceil(cases.length / parts);
  const starts = Array.from({ length: Math.ceil(cases.length / size) }, (_, part) => part * size);
  const alone = starts.map((from) => cases.slice(from, from + size));
  const without = starts.map((from) => [...cases.slice(0, from), ...cases.slice(from + size)]);
  return starts.length > 2 ? [...alone, ...without] : alone;
}

/** The first of these lists after which the case fails, an empty one if there is none; undefined if not all could be tried. */
async function firstFailing<T>(lists: readonly (readonly T[])[], fails: Fails<T>): Promise<readonly T[] | undefined> {
  for (const list of lists) {
    const seen = await fails(list);
    if (seen === undefined) return undefined;
    if (seen) return list;
  }
  return [];
}
