import { cleanLine } from '../../base/sanitize.ts';
import type { Count } from '../../model/values.ts';
import { DEFAULT_POLICY } from '../compare/policy.ts';
import { isMoreMemory } from '../compare/program-changes.ts';
import type { NamedRun } from '../compare/side.ts';
import { programBytes } from '../program-memory.ts';

/** What the plugin says of the memory of one program, if it is not the same in all runs that are compared. */
export interface ProgramTrend {
  program: string;
  /** The name in the C API: `temp_size_in_bytes`. */
  field: string;
  /** In each run; null: unknown, or the run is not compared. */
  bytes: (Count | null)[];
  /** Indices of the oldest and of the newest run that know it. */
  from: Count;
  to: Count;
  /** Index of the run in which it grew most. */
  since?: Count;
  /** It needs more in the newest run than in the oldest, by the thresholds of `compare`. */
  grown: boolean;
}

/** Programs whose memory changed; first what grew, the most first. @param alike indices of the runs that can be compared */
export function programTrends(named: readonly NamedRun[], alike: readonly number[]): ProgramTrend[] {
  const found = new Map<string, Pick<ProgramTrend, 'program' | 'field' | 'bytes'>>();
  for (const at of alike) {
    for (const { program, field, bytes } of programBytes(named[at]!.run)) {
      const key = `${program}\0${field}`;
      const known = found.get(key);
      const trend = known ?? { program: cleanLine(program), field: cleanLine(field), bytes: named.map(() => null) };
      if (!known) found.set(key, trend);
      trend.bytes[at] = bytes;
    }
  }
  return [...found.values()]
    .flatMap((trend): ProgramTrend[] => {
      const known = trend.bytes.flatMap((bytes, run) => (bytes === null ? [] : [{ run, bytes }]));
      if (new Set(known.map(({ bytes }) => bytes)).size < 2) return [];
      const [first, last] = [known[0]!, known.at(-1)!];
      const steps = known.slice(1).map(({ run, bytes }, at) => ({ run, by: bytes - known[at]!.bytes }));
      const most = steps.reduce((a, b) => (b.by > a.by ? b : a));
      const grown = isMoreMemory(first.bytes, last.bytes, DEFAULT_POLICY.thresholds['program-memory']);
      return [{ ...trend, from: first.run, to: last.run, ...(most.by > 0 ? { since: most.run } : {}), grown }];
    })
    .sort((a, b) => growth(b) - growth(a));
}

const growth = ({ bytes, from, to }: ProgramTrend): number => bytes[to]! - bytes[from]!;
