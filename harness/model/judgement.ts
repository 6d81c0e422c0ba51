import type { Status } from './status.ts';
import type { Count, Day, Line } from './values.ts';

/**
 * What a run says of a listed case.
 * passed: its MUSTs hold · not-offered: it is about something that the plugin does not offer and need not · not-applicable:
 * the plugin's API version does not have it · waived: it failed, and a waiver permits that · failed: a MUST is violated, or
 * something that every plugin offers is not there · missing: the run has no result for it
 */
export type Standing = 'passed' | 'not-offered' | 'not-applicable' | 'waived' | 'failed' | 'missing';

export const STANDINGS: readonly Standing[] = [
  'passed',
  'not-offered',
  'not-applicable',
  'waived',
  'failed',
  'missing',
];

/** A listed case with its result. */
export interface JudgedCase {
  id: string;
  standing: Standing;
  status: Status;
  /** The area of its suite: `buffers`. */
  area: string;
  /** The first finding, or the reason. */
  why?: string;
  waiver?: Waiver;
}

/** What a run says about a list of the conformance programme (docs/conformance-programme.md). */
export interface Judgement {
  passes: boolean;
  version: string;
  profile: string;
  /** Of the plugin's C API, if it could be read. */
  apiMinor?: Count;
  counts: Record<Standing, Count>;
  /** In the order of the list. In the log: those that failed, are missing or are waived. */
  cases: JudgedCase[];
  /** Why it does not pass, apart from its cases. */
  obstacles: string[];
}

/** Permission for versions of a product to fail cases (schemas/waivers.schema.json). */
export interface Waiver {
  /** Its line in the file. */
  line: Line;
  /** Where it was granted, and why is discussed. */
  url: string;
  /** Of the statement: `vendor/name`. */
  product: string;
  /** A glob on the version of the product: `1.2.*`. */
  versions: string;
  /** Globs on case ids. */
  cases: string[];
  reason: string;
  /** Last day on which a run that uses it may begin, YYYY-MM-DD. */
  expires: Day;
}
