import type { Attempt, CaseResult } from './case-result.ts';
import type { Event, PlannedCase } from './events.ts';
import type { ExpectationEntry } from './expectation.ts';
import type { FrameworkVerdict } from './framework-verdict.ts';
import type { PluginFacts } from './plugin-facts.ts';
import { STATUSES, type Status } from './status.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;
export type Header = Of<'header'>;
export type Note = Of<'note'>;
type Worker = Of<'worker'>;
type Footer = Of<'footer'>;
export type Counts = Record<Status, number>;

/** A planned case and what became of it so far. */
export interface CaseRun {
  plan: PlannedCase;
  suite: SuiteRun;
  /** Milliseconds since the start of the run. */
  startedAtMs?: number;
  finishedAtMs?: number;
  worker?: number;
  result?: CaseResult;
  /** Attempts that have ended while others were to follow; its result has all of them. */
  attempts?: Attempt[];
}

/** A suite file, its cases in planned order. */
export interface SuiteRun {
  suite: string;
  file: string;
  title: string;
  sha256: string;
  cases: CaseRun[];
  counts: Counts;
  /** Cases that have a result. */
  done: number;
}

/** Everything that the log says, in the form reports need. Built by {@link applyEvent}, one event at a time. */
export interface Run {
  header?: Header;
  plugins: PluginFacts[];
  frameworks: FrameworkVerdict[];
  suites: SuiteRun[];
  /** By case id. */
  cases: Map<string, CaseRun>;
  /** Cases that were started and have no result yet, oldest first. */
  running: Set<CaseRun>;
  notes: Note[];
  /** Most memory that a worker held, as far as workers came to tell. */
  peakRssBytes?: number;
  /** Entries of the expectations files of the run; undefined where it had none, or did not come to telling them. */
  expectations?: ExpectationEntry[];
  /** When it went on after it had been killed or stopped: time of the run, and of the clock. */
  resumed: { atMs: number; startedAt: string }[];
  /** Starts and ends of workers, as they happened. */
  workers: Worker[];
  footer?: Footer;
  /** Of all cases; what has no result counts as `notrun`, so the sum is always the number of planned cases. */
  counts: Counts;
  /** What contradicts itself in the log: results of unplanned cases, ids planned twice. A fault of the harness. */
  faults: string[];
}

export const zeroCounts = (): Counts => Object.fromEntries(STATUSES.map((status) => [status, 0])) as Counts;

export const emptyRun = (): Run => ({
  plugins: [],
  frameworks: [],
  suites: [],
  cases: new Map(),
  running: new Set(),
  resumed: [],
  notes: [],
  workers: [],
  counts: zeroCounts(),
  faults: [],
});

/** The run that a sequence of events describes. */
export function foldRun(events: Iterable<Event>): Run {
  const run = emptyRun();
  for (const event of events) applyEvent(run, event);
  return run;
}

/** Takes one more event into the run, in place: live reporters fold as they go and hold nothing but the run. */
export function applyEvent(run: Run, event: Event): void {
  switch (event.type) {
    case 'header':
      run.header = event;
      break;
    case 'suite':
      addSuite(run, event);
      break;
    case 'plugin':
      addPlugin(run, event.plugin);
      break;
    case 'framework':
      run.frameworks.push(event.verdict);
      break;
    case 'start':
      startCase(run, event);
      break;
    case 'attempt':
      endAttempt(run, event);
      break;
    case 'case':
      finishCase(run, event);
      break;
    case 'expectations':
      run.expectations = event.entries;
      break;
    case 'note':
      run.notes.push(event);
      break;
    case 'footer':
      run.footer = event;
      break;
    case 'resume':
      run.footer = undefined;
      run.resumed.push({ atMs: event.atMs, startedAt: event.startedAt });
      // What was in hand when the sitting before it ended runs again.
      for (const item of run.running) item.startedAtMs = undefined;
      run.running.clear();
      for (const item of run.cases.values()) if (!item.result) item.attempts = undefined;
      break;
    case 'worker':
      run.workers.push(event);
      if (event.peakRssBytes !== undefined) run.peakRssBytes = Math.max(run.peakRssBytes ?? 0, event.peakRssBytes);
      break;
    case 'checkpoint':
      break;
  }
}

export const statusOf = (item: CaseRun): Status => item.result?.status ?? 'notrun';

/** Why a case is unsupported, skipped or not run; a case without a result always has a reason. */
export function reasonOf(item: CaseRun): string | undefined {
  if (item.result) return item.result.reason;
  if (item.startedAtMs === undefined) return 'the run ended before this case';
  return item.attempts
    ? 'the run ended between two attempts at this case'
    : 'the run ended while this case was running';
}

/** What the clock said at a time of the run, milliseconds; the time in which a run was interrupted is no time of the run. */
export function clockAt({ header, resumed }: Run, atMs: number): number {
  const sitting = resumed.findLast((one) => one.atMs <= atMs) ?? { atMs: 0, startedAt: header?.startedAt ?? '' };
  const start = Date.parse(sitting.startedAt);
  return (Number.isNaN(start) ? 0 : start) + atMs - sitting.atMs;
}

/**
 * Time that the cases of a suite took, milliseconds. Not the time between its first and its last case: cases in a process
 * of their own run last, with those of every other suite in between.
 */
export const suiteDurationMs = (suite: SuiteRun): number =>
  suite.cases.reduce((sum, { result }) => sum + (result?.durationMs ?? 0), 0);

/** Milliseconds from the start of the run to the first case of a suite. */
export function suiteStartMs(suite: SuiteRun): number {
  const starts = suite.cases.map((item) => item.startedAtMs).filter((at) => at !== undefined);
  return starts.reduce((least, at) => Math.min(least, at), starts[0] ?? 0);
}

function addSuite(run: Run, event: Of<'suite'>): void {
  const { suite: name, file, title, sha256 } = event;
  const suite: SuiteRun = { suite: name, file, title, sha256, cases: [], counts: zeroCounts(), done: 0 };
  for (const plan of event.cases) {
    if (run.cases.has(plan.id)) {
      run.faults.push(`case ${plan.id} is planned twice`);
      continue;
    }
    const item: CaseRun = { plan, suite };
    suite.cases.push(item);
    run.cases.set(plan.id, item);
    suite.counts.notrun++;
    run.counts.notrun++;
  }
  run.suites.push(suite);
}

function addPlugin(run: Run, facts: PluginFacts): void {
  const at = run.plugins.findIndex((plugin) => plugin.path === facts.path && plugin.name === facts.name);
  if (at === -1) {
    run.plugins.push(facts);
    return;
  }
  // A replaced worker that gets less far must not take away what an earlier one found out; only `failure` is always news.
  const known = run.plugins[at]!;
  const answers = allAnswers(known.answers, facts.answers);
  run.plugins[at] = { ...known, ...facts, ...(answers ? { answers } : {}), failure: facts.failure };
}

/** How functions answered, by both; sorted, so that it does not depend on which came first. */
export function allAnswers(a: PluginFacts['answers'], b: PluginFacts['answers']): PluginFacts['answers'] {
  if (!a || !b) return a ?? b;
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(names.map((name) => [name, [...new Set([...(a[name] ?? []), ...(b[name] ?? [])])].sort()]));
}

function startCase(run: Run, event: Of<'start'>): void {
  const item = run.cases.get(event.id);
  if (!item) {
    run.faults.push(`case ${event.id} was started but not planned`);
    return;
  }
  if (!item.attempts) item.startedAtMs = event.atMs;
  item.worker = event.worker;
  if (!item.result) run.running.add(item);
}

function endAttempt(run: Run, event: Of<'attempt'>): void {
  const item = run.cases.get(event.id);
  if (!item) {
    run.faults.push(`case ${event.id} has an attempt but was not planned`);
    return;
  }
  item.attempts = [...(item.attempts ?? []), event.attempt];
  run.running.delete(item);
}

function finishCase(run: Run, event: Of<'case'>): void {
  const item = run.cases.get(event.id);
  if (!item) {
    run.faults.push(`case ${event.id} has a result but was not planned`);
    return;
  }
  const before = statusOf(item);
  if (item.result) run.faults.push(`case ${event.id} has two results`);
  else item.suite.done++;
  for (const counts of [run.counts, item.suite.counts]) {
    counts[before]--;
    counts[event.result.status]++;
  }
  item.result = event.result;
  item.finishedAtMs = event.atMs;
  item.worker = event.worker;
  run.running.delete(item);
}
