import type { Status } from './status.ts';

/** What an entry of an expectations file makes of a result (docs/expectations.md). */
export interface CaseExpectation {
  /** Where the entry stands. */
  file: string;
  line: number;
  /** The statuses that it expects. */
  expect: Status[];
  reason: string;
  /** What the failure may break; one that breaks others is another failure. */
  requirements?: string[];
  issue?: string;
  owner?: string;
  /** Last day on which it excuses anything, YYYY-MM-DD. */
  expires?: string;
  /**
   * met: as expected, so it does not fail the run · unexpected-pass: nothing is broken any more, the entry is stale ·
   * different: another result than the expected one, which counts as if nothing were expected · expired: so does this.
   */
  outcome: 'met' | 'unexpected-pass' | 'different' | 'expired';
}

/** An entry of an expectations file, and whether it has a meaning for this run. */
export interface ExpectationEntry extends Pick<CaseExpectation, 'file' | 'line' | 'expect' | 'reason' | 'expires'> {
  /** Its globs. */
  cases: string[];
  /** unmatched: no case there is has such an id · elsewhere: its conditions are not those of this run. */
  standing: 'active' | 'expired' | 'unmatched' | 'elsewhere';
  /** Of `elsewhere`: the condition that does not hold. */
  why?: string;
}
