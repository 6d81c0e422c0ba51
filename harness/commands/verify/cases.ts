import type { LogEvent } from './read-log.ts';
import type { AddViolation, Say } from './rules.ts';

/** A planned case with its result. */
export interface VerifiedCase {
  id: string;
  name: string;
  suite: string;
  level: string;
  /** Requirements that it tries. */
  covers: string[];
  informative: boolean;
  result: LogEvent['result'] | undefined;
}

/** Finds the cases of a log, and checks that each is accounted for. */
export function readCases(
  events: readonly LogEvent[],
  name: string,
  addViolation: AddViolation,
): Map<string, VerifiedCase> {
  const cases = new Map<string, VerifiedCase>();
  const started = new Map<string, number>();
  const workers = new Set<number>();
  const read: ExpectationsRead = events[0]?.expectations ?? { files: [], date: '' };
  for (const event of events) {
    const where = `${name}:${event.line}`;
    const results: Say = (what) => addViolation('results', where, what);
    if (event.type === 'suite') plan(event, cases, (what) => addViolation('plan', where, what));
    if (event.type === 'worker' && event.what === 'start') workers.add(event.worker);
    if (event.type === 'start') {
      if (!cases.has(event.id)) results(`${event.id} was started and is not planned`);
      if (!workers.has(event.worker)) results(`worker ${event.worker} had not been started`);
      started.set(event.id, event.worker);
    }
    if (event.type === 'case') {
      finish(event, cases, started, results);
      const fault = statusFault(event.result);
      if (fault !== undefined) addViolation('status', where, `${event.id} is ${event.result.status} and ${fault}`);
      checkExpectation(event.result, read, (what) => addViolation('expectation', where, `${event.id}: ${what}`));
    }
  }
  return cases;
}

/** The header's record of the expectations files of a run. */
interface ExpectationsRead {
  files: { file: string }[];
  date: string;
}

function plan({ suite, cases: planned }: LogEvent, cases: Map<string, VerifiedCase>, say: Say): void {
  for (const { id, name, level, covers, informative } of planned) {
    if (cases.has(id)) say(`${id} is planned twice`);
    if (id !== `${suite}:${name}`) say(`${id} is planned as ${name} of the suite ${suite}`);
    cases.set(id, { id, name, suite, level, covers, informative: informative === true, result: undefined });
  }
}

function finish(
  { id, result }: LogEvent,
  cases: ReadonlyMap<string, VerifiedCase>,
  started: ReadonlyMap<string, number>,
  say: Say,
): void {
  const item = cases.get(id);
  if (!item) {
    say(`${id} has a result and is not planned`);
    return;
  }
  if (item.result) say(`${id} has a second result`);
  // A case that cannot run, for example without a client, is skipped without a worker.
  if (result.status !== 'skip' && !started.has(id)) say(`${id} is ${result.status} and was not started`);
  item.result = result;
}

const HOLDS = new Set(['pass', 'warn', 'unsupported', 'skip']);
const BREAKS = new Set(['warn', 'fail', 'crash', 'timeout', 'flaky']);

function checkExpectation(
  { status, expectation }: LogEvent['result'],
  { files, date }: ExpectationsRead,
  say: Say,
): void {
  if (!expectation) return;
  const { expect, outcome, expires, file } = expectation;
  // A case that is expected to be flaky sometimes passes; if requirements are named, it may be a different failure.
  const listed = expect.includes(status);
  const met = listed || (status === 'pass' && expect.includes('flaky'));
  const says = (what: string): void => say(`"${outcome}", but ${what} (${status}; expected ${expect.join(', ')})`);
  if (outcome === 'met' && !met) says('a different status was expected');
  if (outcome === 'different' && met && !expectation.requirements) says('this status was expected');
  if (outcome === 'unexpected-pass' && BREAKS.has(status) && status !== 'warn') says('it failed');
  // In a merged log this is the date of the part that began first: what had expired then had expired in all of them.
  if (outcome === 'met' && expires < date) says(`it expired on ${expires}, and the run was on ${date}`);
  if (outcome === 'expired' && expires === undefined) says('it has no expiry date');
  if (!files.some((one) => one.file === file)) says(`${file} was not read`);
}

/** How a process ended in a native call, and the resulting status of its case; a flaky case may have any of them. */
const CALL_ENDS: Readonly<Record<string, string>> = { DEATH: 'crash', HANG: 'timeout' };

/** Why a result cannot have its status. */
function statusFault({ status, findings, reason, attempts, trace, numerics }: LogEvent['result']): string | undefined {
  const levels = new Set(findings.map(({ level }: { level: string }) => level));
  for (const { call, answer } of trace?.calls ?? []) {
    const end = CALL_ENDS[answer];
    if (end !== undefined && status !== end && status !== 'flaky') return `its process ended in ${call} (${answer})`;
  }
  for (const { elements, mismatches, ...record } of numerics ?? []) {
    // Logs before 1.4 do not count them.
    if (mismatches === undefined) continue;
    const { nanMismatches = 0, infinityMismatches = 0, signMismatches = 0 } = record;
    if (mismatches > elements) return `says of ${elements} numbers that ${mismatches} are wrong`;
    if (nanMismatches + infinityMismatches + signMismatches > mismatches)
      return 'has more wrong kinds than wrong numbers';
    if (mismatches > 0 && status === 'pass') return 'has numbers beyond what is allowed';
  }
  if (attempts && status !== 'notrun') {
    const seen: string[] = attempts.map((attempt: { status: string }) => attempt.status);
    const mixed = seen.some((one) => HOLDS.has(one)) && seen.some((one) => BREAKS.has(one));
    if (status === 'flaky' && !mixed) return `its attempts are ${seen.join(', ')}`;
    if (status !== 'flaky' && !seen.includes(status)) return `its attempts are ${seen.join(', ')}`;
  }
  switch (status) {
    case 'pass':
      return levels.has('must') || levels.has('should') ? 'has findings of violations' : undefined;
    case 'warn':
      if (levels.has('must')) return 'has a finding that says that a MUST is violated';
      return levels.has('should') ? undefined : 'has no finding that a SHOULD is violated';
    case 'fail':
      return levels.has('must') ? undefined : 'no finding says that a MUST is violated';
    case 'crash':
    case 'timeout':
      return findings.length > 0 ? undefined : 'has no finding';
    case 'flaky':
      return attempts ? undefined : 'has no attempts';
    case 'unsupported':
    case 'skip':
    case 'notrun':
      if (levels.has('must')) return 'has a finding that says that a MUST is violated';
      return reason ? undefined : 'has no reason';
    case 'error':
      return reason || findings.length > 0 ? undefined : 'has neither a reason nor a finding';
    default:
      return 'there is no such status';
  }
}
