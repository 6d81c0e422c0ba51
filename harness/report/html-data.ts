import type { CaseResult } from '../model/case-result.ts';
import type { Event, PlannedCase } from '../model/events.ts';
import type { NumericRecord } from '../model/numeric-record.ts';
import type { Status } from '../model/status.ts';
import type { JsonReportHead, JsonReportSuite, JsonRootCause } from './json.ts';

/**
 * What an HTML report carries, and its front end (web/) reads: the head of the JSON report, then the cases column by
 * column in blocks that are unpacked one at a time. A block is JSON, deflated, in base64, in a script element that no
 * browser runs: `<script type="application/octet-stream" data-part="rows" data-from="0">`. `data-from` is the number of the
 * first case in the block.
 */
export interface HtmlBlocks {
  head: HtmlHead;
  /** What lists, filters and the timeline need of every case. */
  rows: CaseColumns;
  /** What the page of one case needs; only of cases that have more to say than their row. */
  details: [index: number, detail: CaseDetail][];
  /** What the numeric comparisons of all cases saw. */
  numerics: NumericColumns;
}

export type HtmlPart = keyof HtmlBlocks;

/** Everything but the cases. */
export interface HtmlHead extends Omit<JsonReportHead, 'rootCauses'> {
  /** In the order of their numbers; which cases they have stands in {@link CaseColumns.cause}. */
  rootCauses: Omit<JsonRootCause, 'broken' | 'blocked'>[];
  suites: (Omit<JsonReportSuite, 'cases'> & { cases: number })[];
  /** What the requirements say that a case covers or breaks, by id; empty when the writer was not told. */
  requirements: Record<string, string>;
  /** Starts and ends of workers; none in a report without times. */
  workers: Omit<Extract<Event, { type: 'worker' }>, 'type'>[];
  /** Times were left out, so that equal results give equal files. */
  timeless: boolean;
  exitMeaning: string;
}

type Bit = 0 | 1;

/** An array a column, an entry a case. */
export interface CaseColumns {
  id: string[];
  title: string[];
  /** Index into {@link HtmlHead.suites}. */
  suite: number[];
  line: number[];
  level: PlannedCase['level'][];
  covers: string[][];
  tags: string[][];
  status: Status[];
  /** What the result breaks, whatever the level of the case: a crash in a SHOULD may break a MUST. */
  breach: ('must' | 'should' | null)[];
  /** It fails the run. */
  fails: Bit[];
  /** It would, were it not a known deviation that is accepted, or expected. */
  accepted: Bit[];
  /** Its result is told and does not count. */
  informative: Bit[];
  /** A known deviation explains it. */
  known: Bit[];
  /** There is a {@link CaseDetail}. */
  detailed: Bit[];
  durationMs: number[];
  nativeMs: number[];
  calls: number[];
  /** Milliseconds since the start of the run. */
  startMs: (number | null)[];
  endMs: (number | null)[];
  worker: (number | null)[];
  /** One line: what broke, or why it did not run. */
  message: string[];
  /** Native calls that its findings are about, and the one in flight when it ended. */
  about: string[][];
  /** Requirements that it shows broken. */
  breaks: string[][];
  /** Number of its root cause, 0 where it has none. */
  cause: number[];
}

/** Findings by weight, output of the plugin as one text, and the rest of the result that is not in the row. */
export interface CaseDetail
  extends Partial<
    Pick<
      CaseResult,
      | 'inFlight'
      | 'signal'
      | 'exitCode'
      | 'knownDeviation'
      | 'expectation'
      | 'attempts'
      | 'callMs'
      | 'trace'
      | 'findings'
    >
  > {
  stdout?: string;
  stderr?: string;
  /** The command that runs this case again. */
  reproduce?: string;
}

export interface NumericColumns {
  /** Number of the case. */
  case: number[];
  what: string[];
  /** JSON has no infinity: null. */
  maxUlp: (number | null)[];
  allowedUlp: (number | null)[];
  index: number[];
  expectedBits: string[];
  actualBits: string[];
  /** Beyond its bound. */
  beyond: Bit[];
  nanMismatches: number[];
  infinityMismatches: number[];
  signMismatches: number[];
  withinAbsolute: number[];
  /** Null where the bound is the same in every profile, or the log is too old to say. */
  meets: (NumericRecord['meets'] | null)[];
}
