import { counted } from '../../base/counted.ts';
import type { Count, Milliseconds } from '../../model/values.ts';
import { DEFAULT_POLICY } from '../compare/policy.ts';
import { type NamedRun, Side } from '../compare/side.ts';
import { median } from '../compare/sign-test.ts';
import { compareTimes, type TimeRecord, timesByRun, withoutParts } from '../compare/time-changes.ts';

/** A function that takes more, or less, time since some run. */
export interface TimeTrend {
  /** `PJRT_Client_Compile`. */
  function: string;
  /** Only in the cases of this suite; default: in all. */
  suite?: string;
  verdict: 'slower' | 'faster';
  /** Index of the run. */
  since: Count;
  /** The median of the runs before, and since then: time over all compared cases. */
  oldMs: Milliseconds;
  newMs: Milliseconds;
  /** The median over the cases of the ratio of new to old time, after correction for the machine. */
  ratio: number;
  cases: Count;
}

/** How times changed over the runs that can be compared: those like the newest. */
export interface TimeTrends {
  /** Why times are not compared. */
  omitted?: string;
  /** Indices of the runs that are compared. */
  runs: Count[];
  records: TimeTrend[];
}

/** With fewer runs on a side, nine of ten pairs say nothing. */
const SIDE = 3;

/**
 * Every run may be the first of a new time: what was before and what came then are compared as the repeats of two sides, by the rules
 * of `compare`. Of the runs at which these find a difference, the one counts that divides the times best.
 * @param alike indices of the runs that can be compared
 */
export function timeTrends(named: readonly NamedRun[], alike: readonly number[]): TimeTrends {
  if (alike.length < 2 * SIDE) {
    const omitted = `${counted(2 * SIDE, 'run')} are needed that are complete and of one kind of machine, tool and profile; there ${alike.length === 1 ? 'is' : 'are'} ${alike.length}`;
    return { omitted, runs: [...alike], records: [] };
  }
  const runs = alike.map((at) => named[at]!);
  const found = new Map<string, { at: number; record: TimeRecord }[]>();
  for (let at = SIDE; at <= runs.length - SIDE; at++) {
    const { records } = compareTimes(
      new Side(runs.slice(0, at)),
      new Side(runs.slice(at)),
      DEFAULT_POLICY.thresholds.slowdown,
    );
    for (const record of records) {
      if (record.verdict !== 'slower' && record.verdict !== 'faster') continue;
      const key = `${record.function}\0${record.suite ?? ''}`;
      found.set(key, [...(found.get(key) ?? []), { at, record }]);
    }
  }
  const records = [...found.values()].map((splits): TimeTrend => {
    const { function: called, suite: within } = splits[0]!.record;
    const times = timesByRun(
      runs.map(({ run }) => run),
      called,
      within,
    );
    const best = splits.reduce((a, b) => (spreadAt(times, b.at) < spreadAt(times, a.at) ? b : a));
    const { function: name, suite, verdict, ratio, cases } = best.record;
    return {
      function: name,
      ...(suite === undefined ? {} : { suite }),
      verdict: verdict as TimeTrend['verdict'],
      since: alike[best.at]!,
      oldMs: median(times.slice(0, best.at)),
      newMs: median(times.slice(best.at)),
      ...{ ratio, cases },
    };
  });
  return { runs: [...alike], records: withoutParts(records) };
}

/** How far times are from the median of their side, if a run divides them. */
function spreadAt(times: readonly number[], at: number): number {
  const logs = times.map((time) => Math.log(Math.max(time, Number.MIN_VALUE)));
  const from = (side: number[]): number => side.reduce((sum, value) => sum + Math.abs(value - median(side)), 0);
  return from(logs.slice(0, at)) + from(logs.slice(at));
}
