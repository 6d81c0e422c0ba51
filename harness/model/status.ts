/**
 * What became of a case.
 * pass · warn (a SHOULD is broken, MUSTs hold) · fail (a MUST is broken) · crash (the process died in it) ·
 * timeout (a deadline passed) · flaky (some attempts passed and some violated a requirement; it counts as a broken
 * one) · unsupported (the plugin does not offer what the case needs) · skip (not applicable
 * here, or excluded, with the reason) · error (a fault of the harness or of the suite) · notrun (the run ended before it).
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
