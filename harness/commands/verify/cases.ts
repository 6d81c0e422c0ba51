import type { LogEvent } from './read-log.ts';
import type { AddViolation } from './rules.ts';

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
    if (event.type === 'suite') plan(event, cases, where, addViolation);
    if (event.type === 'worker' && event.what === 'start') workers.add(event.worker);
    if (event.type === 'start') {
      if (!cases.has(event.id)) addViolation('results', where, `${event.id} was started and is not planned`);
      if (!workers.has(event.worker)) addViolation('results', where, `worker ${event.worker} had not been started`);
      started.set(event.id, event.worker);
    }
    if (event.type === 'case') {
      finish(event, cases, started, where, addViolation);
      checkStatus(event.id, event.result, where, addViolation);
      if (event.result.expectation) checkExpectation(event.id, event.result, read, where, addViolation);
    }
  }
  return cases;
}

/** The header's record of the expectations files of a run. */
interface ExpectationsRead {
  files: { file: string }[];
  date: string;
}

function plan(event: LogEvent, cases: Map<string, VerifiedCase>, where: string, addViolation: AddViolation): void {
  for (const { id, name, level, covers, informative } of event.cases) {
    if (cases.has(id)) addViolation('plan', where, `${id} is planned twice`);
    if (id !== `${event.suite}:${name}`)
      addViolation('plan', where, `${id} is planned as ${name} of the suite ${event.suite}`);
    cases.set(id, {
      id,
      name,
      suite: event.suite,
      level,
      covers,
      informative: informative === true,
      result: undefined,
    });
  }
}

function finish(
  event: LogEvent,
  cases: Map<string, VerifiedCase>,
  started: ReadonlyMap<string, number>,
  where: string,
  addViolation: AddViolation,
): void {
  const item = cases.get(event.id);
  if (!item) {
    addViolation('results', where, `${event.id} has a result and is not planned`);
    return;
  }
  if (item.result) addViolation('results', where, `${event.id} has a second result`);
  // A case that cannot run, for example without a client, is skipped without a worker.
  if (event.result.status !== 'skip' && !started.has(event.id)) {
    addViolation('results', where, `${event.id} is ${event.result.status} and was not started`);
  }
  item.result = event.result;
}

const HOLDS = new Set(['pass', 'warn', 'unsupported', 'skip']);
const BREAKS = new Set(['warn', 'fail', 'crash', 'timeout', 'flaky']);

function checkStatus(id: string, result: LogEvent['result'], where: string, addViolation: AddViolation): void {
  const fault = statusFault(result);
  if (fault !== undefined) addViolation('status', where, `${id} is ${result.status} and ${fault}`);
}

function checkExpectation(
  id: string,
  { status, expectation }: LogEvent['result'],
  { files, date }: ExpectationsRead,
  where: string,
  addViolation: AddViolation,
): void {
  const { expect, outcome, expires, file } = expectation;
  // A case that is expected to be flaky sometimes passes; if requirements are named, it may be a different failure.
  const listed = expect.includes(status);
  const met = listed || (status === 'pass' && expect.includes('flaky'));
  const says = (what: string): void =>
    addViolation('expectation', where, `${id}: "${outcome}", but ${what} (${status}; expected ${expect.join(', ')})`);
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
