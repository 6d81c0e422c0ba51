import type { CaseResult } from '../model/case-result.ts';
import type { Event } from '../model/events.ts';
import type { CaseExpectation, ExpectationEntry } from '../model/expectation.ts';
import type { Header, Run } from '../model/run.ts';
import { matchesCase } from '../suite/case-glob.ts';
import type { Expectation, ExpectationsFile } from './expectation.ts';
import { type Circumstances, isExpired, standingOf, unmetCondition } from './standing.ts';

/** What expectations files say of the cases of a run. */
export interface Judge {
  /** The result with what was expected of it, where something was. */
  judge(id: string, result: CaseResult): CaseResult;
  /** Every entry, and what it means for the run. @param ids of all cases there are, not only of those that run */
  entries(ids: readonly string[]): ExpectationEntry[];
}

/** Holds the results of a run against its expectations: of the entries that fit a case the first decides. */
export function createJudge(all: readonly Expectation[], circumstances: Circumstances): Judge {
  const here = all.filter(({ when }) => when.every((one) => unmetCondition(one, circumstances) === undefined));
  // An entry that is over stands back behind one that is not.
  const over = here.filter((entry) => isExpired(entry, circumstances.date));
  const ordered = [...here.filter((entry) => !over.includes(entry)), ...over];
  return {
    judge(id, result) {
      const entry = ordered.find(({ cases }) => cases.some((glob) => matchesCase(glob, id)));
      const outcome = entry && outcomeOf(entry, result);
      if (!outcome) return result;
      const expired = over.includes(entry);
      // What is over excuses nothing; of a case that does as it likes there is nothing to say.
      if (expired && outcome !== 'met') return result;
      return { ...result, expectation: markOf(entry, expired ? 'expired' : outcome) };
    },
    entries: (ids) => all.map((entry) => standingOf(entry, circumstances, ids)),
  };
}

function markOf(entry: Expectation, outcome: CaseExpectation['outcome']): CaseExpectation {
  const { file, line, expect, reason, requirements, issue, owner, expires } = entry;
  return {
    file,
    line,
    expect,
    reason,
    ...(requirements.length > 0 ? { requirements } : {}),
    ...(issue === undefined ? {} : { issue }),
    ...(owner === undefined ? {} : { owner }),
    ...(expires === undefined ? {} : { expires }),
    outcome,
  };
}

/** How a result stands to an entry; undefined where the entry says nothing about it. */
function outcomeOf(entry: Expectation, result: CaseResult): Exclude<CaseExpectation['outcome'], 'expired'> | undefined {
  const { expect } = entry;
  const { status } = result;
  if (expect.includes(status)) return breaksOthers(entry, result) ? 'different' : 'met';
  switch (status) {
    case 'skip':
    case 'notrun':
    case 'error':
      return undefined;
    case 'pass':
      // A flaky case holds now and then.
      return expect.includes('flaky') ? 'met' : 'unexpected-pass';
    case 'warn':
      // So does it with a warning, which nobody has expected and nobody excuses.
      if (expect.includes('flaky')) return undefined;
      return expect.some((one) => BREAKS_A_MUST.has(one)) ? 'unexpected-pass' : 'different';
    default:
      return 'different';
  }
}

const BREAKS_A_MUST = new Set<string>(['fail', 'crash', 'timeout']);

/** Whether a finding is about requirements of which the entry names none: then it is another failure. */
function breaksOthers({ requirements }: Expectation, { findings }: CaseResult): boolean {
  if (requirements.length === 0) return false;
  return findings.some(
    ({ level, requirements: broken = [] }) =>
      level !== 'info' && broken.length > 0 && !broken.some((id) => requirements.includes(id)),
  );
}

/** What the conditions of a run's expectations are held against, as far as the run has told it. */
export function circumstancesOf(run: Run, date: string): Circumstances {
  const header = run.header!;
  return { plugin: run.plugins[0] ?? header.plugins[0]!, host: header.host, date };
}

/** The day of a run for expiry dates: that of SOURCE_DATE_EPOCH, or the one on which it started. */
export const dayOf = (startedAt: string, fixedTime: Date | undefined): string =>
  (fixedTime?.toISOString() ?? startedAt).slice(0, 10);

/** The expectations files of a run. */
export interface Expectations {
  files: ExpectationsFile[];
  /** The day against which expiry dates are held. */
  date: string;
}

/** What the header of a log says of them. */
export const headerEntry = ({ files, date }: Expectations): NonNullable<Header['expectations']> => ({
  files: files.map(({ file, sha256 }) => ({ file, sha256 })),
  date,
});

/** A judge over all files of a run. @param run as far as it has come: it must know its plugin */
export const judgeOf = ({ files, date }: Expectations, run: Run): Judge =>
  createJudge(
    files.flatMap(({ entries }) => entries),
    circumstancesOf(run, date),
  );

/**
 * The events of a log as a run with these expectations would have written them, but for the verdict in the footer.
 * @param run what the events so far amount to
 * @param ids of all cases there are
 */
export function* judgedAnew(
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
