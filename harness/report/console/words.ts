import { counted } from '../../base/counted.ts';
import { type Counts, STATUSES, type Status } from '../../model/status.ts';
import { isPartlyRed } from '../../verdict/standing.ts';
import type { Paint, Style } from './paint.ts';

/** `40 ms`, `1.2 s`, `2 min 03 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

export const WORDS: Record<Status, string> = {
  pass: 'passed',
  warn: 'warned',
  fail: 'failed',
  crash: 'crashed',
  timeout: 'timed out',
  flaky: 'flaky',
  unsupported: 'unsupported',
  skip: 'skipped',
  error: 'internal error',
  notrun: 'not run',
};

/** How a status is painted. */
export function styleOf(status: Status): Style {
  if (status === 'pass') return 'green';
  if (status === 'warn') return 'yellow';
  return status === 'unsupported' || status === 'skip' || status === 'notrun' ? 'dim' : 'red';
}

/** `118 passed, 3 failed (1 fails the run)`: the statuses that occur, and how many fail the run where others do not. */
export function countsText(counts: Counts, paint: Paint, red: Counts = counts): string {
  const parts = STATUSES.filter((status) => counts[status] > 0).map((status) => {
    const rest = isPartlyRed(status, counts, red)
      ? ` (${red[status] === 0 ? 'none fails' : counted(red[status], 'fails', 'fail')} the run)`
      : '';
    return paint(styleOf(status), `${counts[status]} ${WORDS[status]}${rest}`);
  });
  return parts.join(', ') || 'no cases';
}
