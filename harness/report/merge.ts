import { groupedBy } from '../base/grouping.ts';
import { type Event, isOfWorker, type PlannedCase } from '../model/events.ts';
import type { FrameworkVerdict } from '../model/framework-verdict.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import { allAnswers, applyEvent, emptyRun, foldRun, type Header } from '../model/run.ts';
import { verdict } from '../verdict/verdict.ts';
import { isIncomplete, type MergeFault, mergeFaults, type Part } from './merge-faults.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** The events of one log, and its name in messages. */
export interface NamedLog {
  name: string;
  events: readonly Event[];
}

/** Logs that are not the parts of one run, or not all of them. The message has one line per fault. */
export class MergeError extends Error {
  override name = 'MergeError';
  readonly faults: readonly MergeFault[];

  constructor(names: readonly string[], faults: readonly MergeFault[]) {
    const lines = faults.map(({ message }) => `  ${message}`);
    const what = faults.every(isIncomplete) ? 'the logs are not the whole run:' : 'the logs are not shards of one run:';
    super(`${names.join(', ')}: ${what}\n${lines.join('\n')}`);
    this.faults = faults;
  }
}

/**
 * The log that one run would have written instead of several: parts of a sharded run, in sequence or at the same time on
 * several machines.
 * @param allowMissing whether shards and results may be missing; a note reports what is, and prevents a good verdict
 * @throws MergeError for different plugins, suites, tools or options, for cases that ran twice, and for what is missing
 */
export function mergeLogs(logs: readonly NamedLog[], { allowMissing = false } = {}): Event[] {
  const parts = logs.map((log) => ({ ...log, header: log.events[0] as Header, run: foldRun(log.events) }));
  parts.sort((a, b) => a.header.startedAt.localeCompare(b.header.startedAt) || (a.name < b.name ? -1 : 1));
  const faults = mergeFaults(parts);
  if (!(allowMissing && faults.every(isIncomplete)) && faults.length > 0) {
    throw new MergeError(
      logs.map(({ name }) => name),
      faults,
    );
  }
  const first = parts[0]!;
  // A merged run cannot be resumed, but its parts can.
  const { shard: _, invocation: __, ...header } = first.header;
  const facts = [...mergedSuites(parts), ...mergedPlugins(parts), ...mergedFrameworks(parts)];
  const merged: Event[] = [header, ...facts, ...eventsOf(parts), ...mergedExpectations(parts)];
  for (const { kind, message } of faults) {
    // Cases of a run that stopped early count as not run.
    if (kind !== 'stopped') merged.push({ type: 'note', level: 'error', message });
  }
  if (parts.some(({ run }) => run.footer === undefined)) return merged;
  return [...merged, footerOf(merged, parts)];
}

function mergedSuites(parts: readonly Part[]): Of<'suite'>[] {
  const suites = new Map<string, Of<'suite'>>();
  for (const event of parts.flatMap(({ events }) => events)) {
    if (event.type !== 'suite') continue;
    const known = suites.get(event.suite);
    suites.set(event.suite, known ? { ...known, cases: [...known.cases, ...event.cases] } : event);
  }
  const place = ({ index }: PlannedCase): number => index ?? 0;
  return [...suites.values()]
    .sort((a, b) => (a.suite < b.suite ? -1 : 1))
    .map((suite) => ({ ...suite, cases: [...suite.cases].sort((a, b) => place(a) - place(b)) }));
}

/** The combined facts about each plugin. */
function mergedPlugins(parts: readonly Part[]): Of<'plugin'>[] {
  const plugins = groupedBy(
    parts.flatMap(({ run }) => run.plugins),
    ({ name }) => name,
  );
  return [...plugins.values()].map((all) => ({ type: 'plugin', plugin: all.reduce(bothFacts) }));
}

const WORST: FrameworkVerdict['outcome'][] = ['aborts', 'refuses', 'wrong', 'unknown', 'limits', 'works'];

/** Verdicts of framework releases: every part has the same releases; if machines differ, the worst counts. */
function mergedFrameworks(parts: readonly Part[]): Of<'framework'>[] {
  const releases = groupedBy(
    parts.flatMap(({ run }) => run.frameworks),
    ({ framework, version }) => `${framework}@${version}`,
  );
  const rank = ({ outcome }: FrameworkVerdict): number => WORST.indexOf(outcome);
  return [...releases.values()].map((all) => ({
    type: 'framework',
    verdict: all.reduce((worst, verdict) => (rank(verdict) < rank(worst) ? verdict : worst)),
  }));
}

/** All parts read the same files; an entry that applies to one of them applies to the whole run. */
function mergedExpectations(parts: readonly Part[]): Of<'expectations'>[] {
  const lists = parts.flatMap(({ run }) => (run.expectations ? [run.expectations] : []));
  const entries = lists[0]?.map((entry, at) => {
    const all = lists.flatMap((list) => list[at] ?? []);
    const applicable = all.filter(({ standing }) => standing !== 'elsewhere');
    return applicable.find(({ standing }) => standing === 'active') ?? applicable[0] ?? entry;
  });
  return entries ? [{ type: 'expectations', entries }] : [];
}

/** What two runs saw of one plugin; of what only one can be right, the first. */
export function bothFacts(a: PluginFacts, b: PluginFacts): PluginFacts {
  const failure = a.failure ?? b.failure;
  const answers = allAnswers(a.answers, b.answers);
  return { ...b, ...a, ...(answers ? { answers } : {}), ...(failure ? { failure } : {}) };
}

/** Starts, results, workers and notes of all parts on one clock, with distinct worker numbers. */
function eventsOf(parts: readonly Part[]): Event[] {
  const origin = Date.parse(parts[0]!.header.startedAt);
  let workers = 0;
  const moved = parts.flatMap(({ header, events }) => {
    const later = Date.parse(header.startedAt) - origin;
    const base = workers;
    return events.flatMap((event): { at: number; event: Event }[] => {
      if (event.type === 'note') return [{ at: later, event }];
      if (!isOfWorker(event)) return [];
      workers = Math.max(workers, base + event.worker + 1);
      const move = <T extends { worker: number; atMs: number }>(item: T): T => ({
        ...item,
        worker: base + item.worker,
        atMs: item.atMs + later,
      });
      const at = event.atMs + later;
      if (event.type === 'attempt') return [{ at, event: { ...move(event), attempt: move(event.attempt) } }];
      if (event.type !== 'case' || !event.result.attempts) return [{ at, event: move(event) }];
      const result = { ...event.result, attempts: event.result.attempts.map(move) };
      return [{ at, event: { ...move(event), result } }];
    });
  });
  return moved.sort((a, b) => a.at - b.at).map(({ event }) => event);
}

function footerOf(events: readonly Event[], parts: readonly Part[]): Event {
  const run = emptyRun();
  for (const event of events) applyEvent(run, event);
  const interrupted = parts.some((part) => part.run.footer!.interrupted);
  const outcome = verdict(run, { ending: interrupted ? 'interrupted' : 'complete' });
  const origin = Date.parse(parts[0]!.header.startedAt);
  const ends = parts.map(({ header, run: { footer } }) => Date.parse(header.startedAt) - origin + footer!.durationMs);
  const finished = parts.map((part) => part.run.footer!.finishedAt).sort();
  return {
    type: 'footer',
    finishedAt: finished.at(-1)!,
    durationMs: Math.max(...ends),
    counts: run.counts,
    exitCode: outcome.exitCode,
    verdict: outcome.line,
    interrupted,
  };
}
