import type { CaseResult } from '../../model/case-result.ts';
import type { Event } from '../../model/events.ts';
import type { CaseExpectation, ExpectationEntry } from '../../model/expectation.ts';
import type { Header, Run } from '../../model/run.ts';
import { matchesCase } from '../../suite/case-glob.ts';
import type { Expectation, ExpectationsFile } from './expectation.ts';
import { type Circumstances, isExpired, standingOf, unmetCondition } from './standing.ts';

/** Expectations for the cases of a run. */
export interface Judge {
  /** The result with its expectation, if there is one. */
  judge(id: string, result: CaseResult): CaseResult;
  /** Every entry and its meaning for the run. @param ids of all existing cases, not only those that run */
  entries(ids: readonly string[]): ExpectationEntry[];
}

/** Compares the results of a run with its expectations: the first matching entry decides. */
export function createJudge(all: readonly Expectation[], circumstances: Circumstances): Judge {
  const here = all.filter(({ when }) => when.every((one) => unmetCondition(one, circumstances) === undefined));
  // An expired entry comes after those that are not expired.
  const over = here.filter((entry) => isExpired(entry, circumstances.date));
  const ordered = [...here.filter((entry) => !over.includes(entry)), ...over];
  return {
    judge(id, result) {
      const entry = ordered.find(({ cases }) => cases.some((glob) => matchesCase(glob, id)));
      const outcome = entry && outcomeOf(entry, result);
      if (!outcome) return result;
      const expired = over.includes(entry);
      // An expired entry excuses nothing; a flaky case is neither met nor unexpected.
      if (expired && outcome !== 'met') return result;
      return { ...result, expectation: markOf(entry, expired ? 'expired' : outcome) };
    },
    entries: (ids) => all.map((entry) => standingOf(entry, circumstances, ids)),
  };
}

function markOf(entry: Expectation, outcome: CaseExpectation['outcome']): CaseExpectation {
  const { file, line, expect, reason, requirements, issue, owner, expires, waived } = entry;
  const named = requirements.length > 0 ? { requirements } : {};
  return { ...{ file, line, expect, reason }, ...named, ...{ issue, owner, expires, waived, outcome } };
}

/** Whether a result meets an entry; undefined if the entry does not apply to it. */
function outcomeOf(entry: Expectation, result: CaseResult): Exclude<CaseExpectation['outcome'], 'expired'> | undefined {
  const { expect } = entry;
  const { status } = result;
  if (expect.includes(status)) return violatesOthers(entry, result) ? 'different' : 'met';
  switch (status) {
    case 'skip':
    case 'notrun':
    case 'error':
      return undefined;
    case 'pass':
      // A flaky case sometimes passes.
      return expect.includes('flaky') ? 'met' : 'unexpected-pass';
    case 'warn':
      // Likewise with a warning, which is not what the entry expects.
      if (expect.includes('flaky')) return undefined;
      return expect.some((one) => VIOLATES_A_MUST.has(one)) ? 'unexpected-pass' : 'different';
    default:
      return 'different';
  }
}

const VIOLATES_A_MUST = new Set<string>(['fail', 'crash', 'timeout']);

/** Whether a finding is about requirements that the entry does not name: then it is another failure. */
function violatesOthers({ requirements }: Expectation, { findings }: CaseResult): boolean {
  if (requirements.length === 0) return false;
  return findings.some(
    ({ level, requirements: violated = [] }) =>
      level !== 'info' && violated.length > 0 && !violated.some((id) => requirements.includes(id)),
  );
}

/** The facts that conditions are compared with, as far as the run has them. */
export function circumstancesOf(run: Run, date: string): Circumstances {
  const header = run.header!;
  return { plugin: run.plugins[0] ?? header.plugins[0]!, host: header.host, date };
}

/** The date of a run for expiry: that of SOURCE_DATE_EPOCH, or of its start. */
export const dayOf = (startedAt: string, fixedTime: Date | undefined): string =>
  (fixedTime?.toISOString() ?? startedAt).slice(0, 10);

/** The expectations files of a run. */
export interface Expectations {
  files: ExpectationsFile[];
  /** The date for expiry. */
  date: string;
}

/** The record of them in the header of a log. */
export const headerEntry = ({ files, date }: Expectations): NonNullable<Header['expectations']> => ({
  files: files.map(({ file, sha256 }) => ({ file, sha256 })),
  date,
});

/** Evaluates all files of a run. @param run as far as it has come: it must have its plugin */
export const judgeOf = ({ files, date }: Expectations, run: Run): Judge =>
  createJudge(
    files.flatMap(({ entries }) => entries),
    circumstancesOf(run, date),
  );

/**
 * The events of a log as a run with these expectations would have written them, except for the verdict in the footer.
 * @param run state after the events so far
 * @param ids of all existing cases
 */
export function* reevaluated(
  events: Iterable<Event>,
  run: Run,
  expectationsOf: (header: Header) => Expectations,
  ids: () => readonly string[],
): Generator<Event> {
  let expectations: Expectations | undefined;
  let judge: Judge | undefined;
  const judging = (): Judge => (judge ??= judgeOf(expectations!, run));
  const entries = (): Event => ({ type: 'expectations', entries: judging().entries(ids()) });
  let ended = false;
  for (const event of events) {
    if (event.type === 'header') {
      expectations = expectationsOf(event);
      yield { ...event, expectations: headerEntry(expectations) };
    } else if (event.type === 'case') {
      const { expectation: _, ...bare } = event.result;
      yield { ...event, result: judging().judge(event.id, bare) };
    } else if (event.type === 'footer') {
      ended = true;
      yield entries();
      yield event;
    } else if (event.type !== 'expectations') yield event;
  }
  if (!ended) yield entries();
}
