import type { AccuracyProfile } from '../../harness/model/numeric-record.ts';

/** The accuracy profiles, tightest first. */
export const ACCURACY_NAMES: readonly AccuracyProfile[] = ['strict', 'standard', 'relaxed'];
