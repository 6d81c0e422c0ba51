import type { CaseResult } from '../model/case-result.ts';
import type { Event } from '../model/events.ts';
import type { Finding } from '../model/finding.ts';
import type { MismatchNumbers, NamedArray } from '../model/mismatch-numbers.ts';
import type { ProgramSource, SourceText } from './case-source.ts';
import type { RequirementLevel } from './format.ts';
import type { CaseColumns, NumericColumns } from './html-columns.ts';
import type { JsonReportHead, JsonReportSuite, JsonRootCause } from './json.ts';

/**
 * The data of an HTML report, read by its front end (web/): the head of the JSON report, then the cases column by column in
 * blocks that are unpacked one at a time. A block is JSON, deflated, in base64, in a script element that no browser runs:
 * `<script type="application/octet-stream" data-part="rows" data-from="0">`. `data-from` is the number of the first case in
 * the block.
 */
export interface HtmlBlocks {
  head: HtmlHead;
  /** Fields of every case for lists, filters and the timeline. */
  rows: CaseColumns;
  /** Data for the page of a single case; only for cases with more than their row. */
  details: [index: number, detail: CaseDetail][];
  /** Results of the numeric comparisons of all cases. */
  numerics: NumericColumns;
  /** What the cases are made of; missing if the writer has none of it. */
  sources: HtmlSources;
  /** Programs, from the number of the block on. */
  programs: ProgramSource[];
}

export type HtmlPart = keyof HtmlBlocks;

/** Everything except the cases. */
export interface HtmlHead extends Omit<JsonReportHead, 'rootCauses' | 'requirements'> {
  /** In order of their numbers; their cases are in {@link CaseColumns.cause}. */
  rootCauses: Omit<JsonRootCause, 'failed' | 'blocked'>[];
  suites: (Omit<JsonReportSuite, 'cases'> & { cases: number })[];
  /** Texts of the requirements that some case covers or violates, by id; empty if the writer does not have them. */
  requirements: Record<string, string>;
  /** Their sources. */
  bases: Record<string, string>;
  /** Where the documents are that these name, if they are public. */
  links: Record<string, string>;
  /** Levels of these requirements. */
  levels: Record<string, RequirementLevel>;
  /** Starts and ends of workers; empty in a report without times. */
  workers: Omit<Extract<Event, { type: 'worker' }>, 'type'>[];
  /** Times are omitted so that equal results give equal files. */
  timeless: boolean;
  exitMeaning: string;
  /** How many root causes there are, in a sentence. */
  causesLine?: string;
  /** What the run says about its mustpass list, in a sentence. */
  judgementLine?: string;
}

/** Steps as in the files of the suites. Cases of one matrix share them. */
export interface HtmlSources {
  steps: SourceText[];
  /** For each case the number of its steps, or -1, then those of its programs; empty if nothing is known. */
  cases: number[][];
}

/** A finding; where arrays differ, also in words. */
export interface HtmlFinding extends Omit<Finding, 'numbers'> {
  whereText?: string[];
  numbers?: HtmlNumbers;
}

/** The numbers of arrays that differ, in decimal too. */
export interface HtmlNumbers extends Pick<MismatchNumbers, 'dtype' | 'distances'> {
  elements?: {
    shape: number[];
    expected: ElementText[];
    actual: ElementText[];
    ulp: (number | null)[];
    wrong: number[];
  };
  inputs?: (Omit<NamedArray, 'bits'> & { elements?: ElementText[] })[];
}

/** An element in decimal and its bits. */
export type ElementText = [value: string, bits: string];

/** Findings by severity, output of the plugin as one text, and the parts of the result that are not in the row. */
export interface CaseDetail
  extends Partial<
    Pick<
      CaseResult,
      'inFlight' | 'signal' | 'exitCode' | 'after' | 'knownDeviation' | 'expectation' | 'attempts' | 'callMs' | 'trace'
    >
  > {
  findings?: HtmlFinding[];
  stdout?: string;
  stderr?: string;
  /** The line of stderr that says why the process ended. */
  lastWords?: string;
  /** Command that reruns this case. */
  reproduce?: string;
}
