import type { Count } from './values.ts';

/**
 * Result of a case. pass · warn (a SHOULD is violated, MUSTs hold) · fail (a MUST is violated) · crash (the process died in
 * it) · timeout (a deadline passed) · flaky (some attempts passed and some violated a requirement; it counts as violated) ·
 * unsupported (the plugin does not offer what the case needs) · skip (not applicable here, or excluded, with the reason) ·
 * error (an internal error of the harness or of a suite) · notrun (the run ended before it).
 */
export type Status =
  | 'pass'
  | 'warn'
  | 'fail'
  | 'crash'
  | 'timeout'
  | 'flaky'
  | 'unsupported'
  | 'skip'
  | 'error'
  | 'notrun';

export const STATUSES: readonly Status[] = [
  'pass',
  'warn',
  'fail',
  'crash',
  'timeout',
  'flaky',
  'unsupported',
  'skip',
  'error',
  'notrun',
];

/** Whether a case violated a MUST, or ended its process, in one run. */
export const isFailure = (status: Status): boolean => status === 'fail' || status === 'crash' || status === 'timeout';

/** Of a case that violates a requirement. */
export const VIOLATING_STATUSES: readonly Status[] = ['warn', 'fail', 'crash', 'timeout', 'flaky'];

/** Whether a result is as bad as another that violates a requirement: it violates a MUST if that does, else anything. */
export const isAsBad = (status: Status, other: Status): boolean =>
  isFailure(other) ? isFailure(status) : VIOLATING_STATUSES.includes(status);

/** Number of cases by status. */
export interface Counts extends Record<Exclude<Status, 'flaky'>, Count> {
  /** @since log 1.2 */
  flaky: Count;
}
