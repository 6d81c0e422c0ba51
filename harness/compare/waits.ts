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
  const shares = { old: shareOfNew('old', 'new'), new: shareOfNew('new', 'old') };
  return waits.filter((wait) => {
    const [before, after] = [waited(wait.old), waited(wait.new)];
    if (before === after) return true;
    return (before ? shares.new : shares.old).get(wait.suite)! >= 0.5;
  });

  function waited(values: readonly number[]): boolean {
    return median(values) >= noticeableMs;
  }

  /** Of the cases that did not wait on one side: how many did on the other, by suite. */
  function shareOfNew(without: 'old' | 'new', with_: 'old' | 'new'): Map<string, number> {
    const shares = new Map<string, number>();
    for (const [suite, cases] of compared) {
      const own = waits.filter((wait) => wait.suite === suite);
      const there = own.filter((wait) => waited(wait[without])).length;
      const came = own.filter((wait) => !waited(wait[without]) && waited(wait[with_])).length;
      shares.set(suite, came / (cases - there));
    }
    return shares;
  }
}
