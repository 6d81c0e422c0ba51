import type { FoundChange } from './change.ts';
import type { Thresholds } from './policy.ts';
import type { Side } from './side.ts';
import { median } from './sign-test.ts';

/** Peak memory of a worker, old and new; with repeats, the median of the runs. */
export interface MemoryComparison {
  /** Why memory is not compared. */
  omitted?: string;
  oldBytes?: number;
  newBytes?: number;
  grown: boolean;
}

/** Peak memory of the worker processes. */
export function compareMemory(old: Side, now: Side, thresholds: Thresholds['memory-growth']): MemoryComparison {
  const [before, after] = [old, now].map(({ runs }) =>
    runs.map(({ run }) => run.peakRssBytes).filter((bytes) => bytes !== undefined),
  );
  if (before!.length === 0 || after!.length === 0) return { omitted: 'a log does not record it', grown: false };
  const [oldBytes, newBytes] = [median(before!), median(after!)];
  // With repeats, every new run must exceed every old one.
  const separated = Math.min(...after!) > Math.max(...before!);
  const grown =
    separated && newBytes > oldBytes * thresholds.ratio && newBytes - oldBytes > thresholds['minimum-mib'] * MIB;
  return { oldBytes, newBytes, grown };
}

/** Growth beyond the policy's threshold. */
export function* memoryChanges({ oldBytes, newBytes, grown }: MemoryComparison): Generator<FoundChange> {
  if (!grown) return;
  const [before, after] = [mib(oldBytes!), mib(newBytes!)];
  yield {
    kind: 'memory-growth',
    subject: 'memory of a worker',
    old: before,
    new: after,
    message: `${after} at the peak, was ${before}: ${(newBytes! / oldBytes!).toFixed(2)}×`,
  };
}

const MIB = 1024 * 1024;
const mib = (bytes: number): string => `${Math.round(bytes / MIB)} MiB`;
