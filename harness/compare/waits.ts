import { median } from './sign-test.ts';

/** Functions whose time is that of something else: they return at once where that is done already. */
export const WAITS: ReadonlySet<string> = new Set(['PJRT_Event_Await']);

/** How long one case waited: one value a run, milliseconds. */
interface Wait {
  suite: string;
  old: number[];
  new: number[];
}

/**
 * Waits that say something of the plugin. Whether a case has to wait for a short operation is luck: of a hundred cases some
 * do, which ones changes with every run, and how many with the machine. A case that waited on one side alone counts where
 * most cases of its suite went that way.
 * @param compared how many cases of each suite were compared, whether they waited or not
 * @param noticeableMs a shorter wait is none
 */
export function withoutLuck<T extends Wait>(
  waits: readonly T[],
  compared: ReadonlyMap<string, number>,
  noticeableMs: number,
): T[] {
  const waited = (values: readonly number[]): boolean => median(values) >= noticeableMs;
  const bySuite = new Map([...compared].map(([suite, cases]) => [suite, { cases, old: 0, new: 0, both: 0 }]));
  const told = waits.map((wait) => ({ wait, old: waited(wait.old), new: waited(wait.new) }));
  for (const { wait, ...sides } of told) {
    const suite = bySuite.get(wait.suite)!;
    if (sides.old) suite.old++;
    if (sides.new) suite.new++;
    if (sides.old && sides.new) suite.both++;
  }
  const counts = ({ wait, ...sides }: (typeof told)[number]): boolean => {
    if (sides.old === sides.new) return true;
    const { cases, both, ...own } = bySuite.get(wait.suite)!;
    // Of the cases that did not wait on one side: at least half did on the other.
    return sides.new ? own.new - both >= (cases - own.old) / 2 : own.old - both >= (cases - own.new) / 2;
  };
  return told.filter(counts).map(({ wait }) => wait);
}
