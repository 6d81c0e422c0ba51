import type { Status } from './status.ts';
import type { Day, Line } from './values.ts';

/** The effect of an expectations entry on a result (docs/expectations.md). */
export interface CaseExpectation {
  /** Its location. */
  file: string;
  line: Line;
  /** The expected statuses. */
  expect: Status[];
  reason: string;
  /** The requirements that the failure may violate; one that violates others is a different failure. */
  requirements?: string[];
  issue?: string;
  owner?: string;
  /** Last day on which it is valid, YYYY-MM-DD. */
  expires?: Day;
  /** It comes from a waiver of the conformance programme. @since log 1.8 */
  waived?: true;
  /**
   * met: as expected, so it does not fail the run · unexpected-pass: nothing is violated any more, the entry is stale ·
   * different: not the expected result, which counts as if nothing were expected · expired: so does this.
   */
  outcome: 'met' | 'unexpected-pass' | 'different' | 'expired';
}

/** An expectations entry, and whether it applies to this run. */
export interface ExpectationEntry extends Pick<CaseExpectation, 'file' | 'line' | 'expect' | 'reason' | 'expires'> {
  /** Its globs. */
  cases: string[];
  /** unmatched: there is no case with such an id · elsewhere: its conditions do not hold in this run. */
  standing: 'active' | 'expired' | 'unmatched' | 'elsewhere';
  /** Its reason is none: `TODO say why`. @since log 1.9 */
  placeholder?: true;
  /** Of `elsewhere`: the condition that does not hold. */
  why?: string;
}
