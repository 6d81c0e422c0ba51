import { median } from './sign-test.ts';

/** Functions that wait for something else and return at once if that is done. */
export const WAITS: ReadonlySet<string> = new Set(['PJRT_Event_Await']);

/** How long one case waited, in milliseconds; one value for each run. */
interface Wait {
  suite: string;
  old: number[];
  new: number[];
}

/**
 * Waits that say something about the plugin. Whether a case has to wait for a short operation is chance: some of a hundred
 * cases do, which ones changes with every run, and how many with the machine. A case that waited only on one side counts if
 * most cases of its suite changed in the same direction.
 * @param compared number of compared cases by suite, whether they waited or not
 * @param noticeableMs shorter waits are ignored
 */
export function withoutChance<T extends Wait>(
  waits: readonly T[],
  compared: ReadonlyMap<string, number>,
  noticeableMs: number,
): T[] {
  const waited = (values: readonly number[]): boolean => median(values) >= noticeableMs;
  const bySuite = new Map([...compared].map(([suite, cases]) => [suite, { cases, old: 0, new: 0, both: 0 }]));
  const durations = waits.map((wait) => ({ wait, old: waited(wait.old), new: waited(wait.new) }));
  for (const { wait, ...sides } of durations) {
    const suite = bySuite.get(wait.suite)!;
    if (sides.old) suite.old++;
    if (sides.new) suite.new++;
    if (sides.old && sides.new) suite.both++;
  }
  const counts = ({ wait, ...sides }: (typeof durations)[number]): boolean => {
    if (sides.old === sides.new) return true;
    const { cases, both, ...own } = bySuite.get(wait.suite)!;
    // Of the cases that did not wait on one side, at least half did on the other.
    return sides.new ? own.new - both >= (cases - own.old) / 2 : own.old - both >= (cases - own.new) / 2;
  };
  return durations.filter(counts).map(({ wait }) => wait);
}
