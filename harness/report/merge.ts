import { type Event, isOfWorker, type PlannedCase } from '../model/events.ts';
import type { FrameworkVerdict } from '../model/framework-verdict.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import { allAnswers, applyEvent, emptyRun, foldRun, type Header, type Run } from '../model/run.ts';
import { verdict } from '../verdict/verdict.ts';
import { cleanLine } from './sanitize.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** The events of one log, and its name in messages. */
export interface NamedLog {
  name: string;
  events: readonly Event[];
}

/** Logs that are not parts of one run. The message has one line per contradiction. */
export class MergeError extends Error {
  override name = 'MergeError';
}

/**
 * The log that one run would have written instead of several: parts of a sharded run, in sequence or at the same time on
 * several machines. A note reports a missing or unfinished part, and prevents a good verdict.
 * @throws MergeError for different plugins, suites, tools or options, and for cases that ran twice
 */
export function mergeLogs(logs: readonly NamedLog[]): Event[] {
  if (logs.length === 1) return [...logs[0]!.events];
  const parts = logs.map((log) => ({ ...log, header: log.events[0] as Header, run: foldRun(log.events) }));
  parts.sort((a, b) => a.header.startedAt.localeCompare(b.header.startedAt) || (a.name < b.name ? -1 : 1));
  const contradictions = contradictionsOf(parts);
  if (contradictions.length > 0) {
    const names = logs.map(({ name }) => name).join(', ');
    throw new MergeError(
      `${names}: the logs are not shards of one run:\n${contradictions.map((c) => `  ${cleanLine(c)}`).join('\n')}`,
    );
  }
  const first = parts[0]!;
  // A merged run cannot be resumed, but its parts can.
  const { shard: _, invocation: __, ...header } = first.header;
  const merged: Event[] = [
    header,
    ...mergedSuites(parts),
    ...mergedPlugins(parts),
    ...mergedFrameworks(parts),
    ...eventsOf(parts),
  ];
  merged.push(...mergedExpectations(parts));
  for (const message of missing(parts)) merged.push({ type: 'note', level: 'error', message });
  if (parts.some(({ run }) => run.footer === undefined)) return merged;
  return [...merged, footerOf(merged, parts)];
}

interface Part extends NamedLog {
  header: Header;
  run: Run;
}

function contradictionsOf(parts: readonly Part[]): string[] {
  const [first, ...others] = parts as [Part, ...Part[]];
  const found: string[] = [];
  const compare = (what: string, of: (part: Part) => unknown): void => {
    for (const part of others) {
      const [a, b] = [JSON.stringify(of(first)), JSON.stringify(of(part))];
      if (a !== b) found.push(`${what}: ${first.name} has ${a}, ${part.name} has ${b}`);
    }
  };
  compare('version of the tool', ({ header }) => header.tool.version);
  compare('profile', ({ header }) => header.profile);
  compare('accuracy profile', ({ header }) => header.numerics?.profile ?? 'standard');
  compare('options', ({ header }) => header.options ?? {});
  compare('expectations files', ({ header }) => header.expectations?.files.map(({ sha256 }) => sha256) ?? []);
  compare('plugins', ({ run }) => run.plugins.map(({ name, sha256 }) => [name, sha256]));
  const suites = new Map<string, { sha256: string; name: string }>();
  const owners = new Map<string, string>();
  for (const { name, run } of parts) {
    for (const { suite, sha256, cases } of run.suites) {
      const known = suites.get(suite);
      if (known && known.sha256 !== sha256)
        found.push(`suite ${suite}: ${known.name} and ${name} have different files`);
      suites.set(suite, { sha256, name });
      for (const { plan } of cases) {
        const owner = owners.get(plan.id);
        if (owner !== undefined) found.push(`case ${plan.id} is in ${owner} and in ${name}`);
        owners.set(plan.id, name);
      }
    }
  }
  const counts = new Set(parts.map(({ header }) => header.shard?.count));
  if (counts.size > 1)
    found.push(`shards: the run was split into ${[...counts].map((n) => n ?? 1).join(' and ')} parts`);
  return found;
}

/** Notes that the merged run is incomplete. */
function missing(parts: readonly Part[]): string[] {
  const count = parts[0]!.header.shard?.count ?? 0;
  const there = new Set(parts.map(({ header }) => header.shard?.index));
  const gone = Array.from({ length: count }, (_, i) => i + 1).filter((index) => !there.has(index));
  const cutOff = parts.filter(({ run }) => run.footer === undefined).map(({ name }) => name);
  return [
    ...(gone.length > 0
      ? [`the log of shard ${gone.join(', ')} of ${count} is missing: its cases are not in this report`]
      : []),
    ...cutOff.map((name) => `${name} has no end: the run is unfinished`),
  ];
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
  const facts = new Map<string, PluginFacts>();
  for (const plugin of parts.flatMap(({ run }) => run.plugins)) {
    const known = facts.get(plugin.name);
    facts.set(plugin.name, known ? bothFacts(known, plugin) : plugin);
  }
  return [...facts.values()].map((plugin) => ({ type: 'plugin', plugin }));
}

const WORST: FrameworkVerdict['outcome'][] = ['aborts', 'refuses', 'unknown', 'limits', 'works'];

/** Verdicts of framework releases: every part has the same releases; if machines differ, the worst counts. */
function mergedFrameworks(parts: readonly Part[]): Of<'framework'>[] {
  const verdicts = new Map<string, FrameworkVerdict>();
  for (const verdict of parts.flatMap(({ run }) => run.frameworks)) {
    const name = `${verdict.framework}@${verdict.version}`;
    const known = verdicts.get(name);
    if (!known || WORST.indexOf(verdict.outcome) < WORST.indexOf(known.outcome)) verdicts.set(name, verdict);
  }
  return [...verdicts.values()].map((verdict) => ({ type: 'framework', verdict }));
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
    const result = events.flatMap((event): { at: number; event: Event }[] => {
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
    return result;
  });
  return moved.sort((a, b) => a.at - b.at).map(({ event }) => event);
}

function footerOf(events: readonly Event[], parts: readonly Part[]): Event {
  const run = emptyRun();
  for (const event of events) applyEvent(run, event);
  const interrupted = parts.some((part) => part.run.footer!.interrupted);
  const outcome = verdict(run, { ending: interrupted ? 'interrupted' : 'complete' });
  const origin = Date.parse(parts[0]!.header.startedAt);
  const end = Math.max(
    ...parts.map(({ header, run: { footer } }) => Date.parse(header.startedAt) - origin + footer!.durationMs),
  );
  return {
    type: 'footer',
    finishedAt: parts
      .map((part) => part.run.footer!.finishedAt)
      .sort()
      .at(-1)!,
    durationMs: end,
    counts: run.counts,
    exitCode: outcome.exitCode,
    verdict: outcome.line,
    interrupted,
  };
}
