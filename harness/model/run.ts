import type { Attempt, CaseResult } from './case-result.ts';
import type { Event, PlannedCase } from './events.ts';
import type { ExpectationEntry } from './expectation.ts';
import type { FrameworkVerdict } from './framework-verdict.ts';
import type { Judgement } from './judgement.ts';
import type { PluginFacts } from './plugin-facts.ts';
import { type Counts, STATUSES, type Status } from './status.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;
export type Header = Of<'header'>;
export type Note = Of<'note'>;
type Worker = Of<'worker'>;
type Footer = Of<'footer'>;

/** A planned case and its result so far. */
export interface CaseRun {
  plan: PlannedCase;
  suite: SuiteRun;
  /** Milliseconds since the start of the run. */
  startedAtMs?: number;
  finishedAtMs?: number;
  worker?: number;
  result?: CaseResult;
  /** Attempts that ended before the last one; the result contains all of them. */
  attempts?: Attempt[];
}

/** The file of a case: that of its suite, unless it has one of its own. */
export const fileOf = ({ suite, plan }: CaseRun): string => plan.file ?? suite.file;

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

/** The contents of a log in the form that reports need. Built by {@link applyEvent}, one event at a time. */
export interface Run {
  header?: Header;
  plugins: PluginFacts[];
  frameworks: FrameworkVerdict[];
  suites: SuiteRun[];
  /** By case id. */
  cases: Map<string, CaseRun>;
  /** Cases that have started and have no result yet, oldest first. */
  running: Set<CaseRun>;
  notes: Note[];
  /** Peak memory of any worker, of those that reported it. */
  peakRssBytes?: number;
  /** Expectations entries of the run; undefined if it had none, or ended before recording them. */
  expectations?: ExpectationEntry[];
  /** What it says about the list that it is of; undefined if it is of none, or has not ended. */
  mustpass?: Judgement;
  /** Where it was resumed; `begun`: after a case had begun. */
  resumed: (Pick<Of<'resume'>, 'atMs' | 'startedAt' | 'after' | 'cutBytes' | 'repeated' | 'footer'> & {
    begun: boolean;
  })[];
  /** Starts and ends of workers, in order. */
  workers: Worker[];
  footer?: Footer;
  /** Of all cases. Those without a result count as `notrun`, so the sum is always the number of planned cases. */
  counts: Counts;
  /** Contradictions in the log: results of unplanned cases, duplicate ids. An internal error. */
  faults: string[];
}

export const zeroCounts = (): Counts =>
  Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;

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

/** The run described by a sequence of events. */
export function foldRun(events: Iterable<Event>): Run {
  const run = emptyRun();
  for (const event of events) applyEvent(run, event);
  return run;
}

/** Applies one more event to the run, in place: live reporters keep only the run. */
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
    case 'mustpass':
      run.mustpass = event.judgement;
      break;
    case 'note':
      run.notes.push(event);
      break;
    case 'footer':
      run.footer = event;
      break;
    case 'resume':
      run.footer = undefined;
      run.resumed.push({ ...event, begun: [...run.cases.values()].some((item) => item.startedAtMs !== undefined) });
      // Cases that were running when the previous session ended run again.
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

/** Why a case is unsupported, skipped or not run. A case without a result always has a reason. */
export function reasonOf(item: CaseRun): string | undefined {
  if (item.result) return item.result.reason;
  if (item.startedAtMs === undefined) return 'the run ended before this case';
  return item.attempts
    ? 'the run ended between two attempts at this case'
    : 'the run ended while this case was running';
}

/** Wall clock at a time of the run, in milliseconds; the time of the run excludes interruptions. */
export function clockAt({ header, resumed }: Run, atMs: number): number {
  const session = resumed.findLast((one) => one.atMs <= atMs) ?? { atMs: 0, startedAt: header?.startedAt ?? '' };
  const start = Date.parse(session.startedAt);
  return (Number.isNaN(start) ? 0 : start) + atMs - session.atMs;
}

/**
 * Total time of a suite's cases, in milliseconds. Not the time between its first and last case: cases with a process of their
 * own run last, mixed with those of every other suite.
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
  // Thousands of cases cover the same requirements and have the same tags.
  const shared = new Map<string, string[]>();
  const share = (list: string[]): string[] => {
    const key = list.join('\n');
    const known = shared.get(key) ?? list;
    shared.set(key, known);
    return known;
  };
  for (const plan of event.cases) {
    Object.assign(plan, { covers: share(plan.covers), tags: share(plan.tags) });
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
  // A replacement worker that gets less far must not remove earlier facts; only `failure` is always replaced.
  const known = run.plugins[at]!;
  const answers = allAnswers(known.answers, facts.answers);
  run.plugins[at] = { ...known, ...facts, ...(answers ? { answers } : {}), failure: facts.failure };
}

/** The union of both answers; sorted, so that the order of workers does not matter. */
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
