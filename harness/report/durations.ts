import type { CaseRun, Run } from '../model/run.ts';
import type { ReportOptions } from './format.ts';

/** What each case cost, for `--durations`: one line a case, so that changes can be read. */
export function writeDurations(run: Run, write: (chunk: string) => void, { fixedTime }: ReportOptions): void {
  const lifetimes = fixedTime ? new Map<number, number>() : lifetimesOf(run);
  const alone = new Map<number, CaseRun | undefined>();
  for (const item of run.cases.values()) {
    if (item.worker !== undefined) alone.set(item.worker, alone.has(item.worker) ? undefined : item);
  }
  const cost = (item: CaseRun): number => {
    if (fixedTime) return 0;
    const own = item.worker !== undefined && alone.get(item.worker) === item ? lifetimes.get(item.worker) : undefined;
    return Math.round(10 * Math.max(item.result!.durationMs, own ?? 0)) / 10;
  };
  const measured = [...run.cases.values()]
    .filter(({ result }) => result)
    .sort((a, b) => (a.plan.id < b.plan.id ? -1 : 1));
  const lines = measured.map((item) => `    ${JSON.stringify(item.plan.id)}: ${cost(item)}`);
  write(`{\n  "type": "durations",\n  "version": 1,\n  "cases": {\n${lines.join(',\n')}\n  }\n}\n`);
}

/** Milliseconds from start to exit of each worker. */
function lifetimesOf({ workers }: Run): Map<number, number> {
  const started = new Map<number, number>();
  const lifetimes = new Map<number, number>();
  for (const { worker, what, atMs } of workers) {
    if (what === 'start') started.set(worker, atMs);
    else if (started.has(worker)) lifetimes.set(worker, atMs - started.get(worker)!);
  }
  return lifetimes;
}
