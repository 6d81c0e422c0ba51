import type { Counts } from '../../model/run.ts';
import { STATUSES, type Status } from '../../model/status.ts';
import type { Paint, Style } from './paint.ts';

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

export const STYLES: Record<Status, Style> = {
  pass: 'green',
  warn: 'yellow',
  fail: 'red',
  crash: 'red',
  timeout: 'red',
  flaky: 'red',
  unsupported: 'dim',
  skip: 'dim',
  error: 'red',
  notrun: 'dim',
};

/** `118 passed, 2 failed`: the statuses that occur. */
export function countsText(counts: Counts, paint: Paint): string {
  const parts = STATUSES.filter((status) => counts[status] > 0).map((status) =>
    paint(STYLES[status], `${counts[status]} ${WORDS[status]}`),
  );
  return parts.join(', ') || 'no cases';
}
