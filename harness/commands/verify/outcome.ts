import type { VerifiedCase } from './cases.ts';
import type { LogEvent } from './read-log.ts';

/** The results of a log, derived from docs/reports.md without any code of the harness. */
export interface Outcome {
  /** By status. */
  counts: Record<string, number>;
  exitCode: number;
  /** The reason. */
  reason: string;
  /** Cases that fail the run. */
  failing: Set<string>;
  interrupted: boolean;
}

interface Options {
  strict?: boolean;
  acceptKnown?: boolean;
  allowFlaky?: boolean;
  strictExpectations?: boolean;
}

export function outcomeOf(events: readonly LogEvent[], cases: ReadonlyMap<string, VerifiedCase>): Outcome {
  const counts = countStatuses(cases);
  const options: Options = events[0]?.options ?? {};
  const footer = events.at(-1)?.type === 'footer' ? events.at(-1) : undefined;
  const failing = new Set([...cases.values()].filter((item) => fails(item, options)).map(({ id }) => id));
  const stale = options.strictExpectations ? staleCases(cases) : new Set<string>();
  const notes = events.filter(({ type }) => type === 'note');
  const plugins = lastFacts(events);
  const frameworks = events.flatMap(({ type, verdict }) => (type === 'framework' ? [verdict.outcome] : []));
  const mustpass = events.findLast(({ type }) => type === 'mustpass');
  const proven = (counts.pass ?? 0) + (counts.warn ?? 0);
  const staleEntries = events
    .findLast(({ type }) => type === 'expectations')
    ?.entries.some(
      ({ standing, placeholder }: { standing: string; placeholder?: true }) =>
        standing === 'expired' || standing === 'unmatched' || (standing === 'active' && placeholder),
    );

  const decide = (): [code: number, reason: string] => {
    if (footer?.interrupted) return [130, 'the run was interrupted'];
    if (plugins.some(({ failure }) => failure?.stage === 'version')) return [4, 'the API version was refused'];
    if (failing.size > 0) return [1, `${failing.size} cases violate a MUST, such as ${[...failing][0]}`];
    if (frameworks.some((outcome) => ['wrong', 'refuses', 'aborts'].includes(outcome)))
      return [1, 'a release does not work'];
    if (notes.some(({ breach }) => breach)) return [1, 'a MUST was violated outside any case'];
    if (plugins.some(({ failure }) => failure) && (proven === 0 || proven < cases.size)) {
      return [3, 'the plugin could not be used'];
    }
    if ((counts.error ?? 0) > 0) return [5, 'cases ended in an internal error of the harness or of a suite'];
    if (notes.some(({ level }) => level === 'error')) return [5, 'the harness had an internal error'];
    if ((counts.notrun ?? 0) > 0) return [5, 'planned cases did not run'];
    if (proven === 0) return [5, 'nothing passed'];
    if (frameworks.includes('unknown')) return [5, 'whether a release works could not be determined'];
    if (mustpass?.judgement.passes === false) return [1, 'the run does not pass its mustpass list'];
    if (options.strictExpectations && (stale.size > 0 || staleEntries)) return [1, 'expectations are stale'];
    return [0, 'nothing is violated'];
  };
  const [exitCode, reason] = decide();
  return {
    counts,
    exitCode,
    reason,
    failing: new Set([...failing, ...stale]),
    interrupted: footer?.interrupted === true,
  };
}

const STATUSES = ['pass', 'warn', 'fail', 'crash', 'timeout', 'flaky', 'unsupported', 'skip', 'error', 'notrun'];

function countStatuses(cases: ReadonlyMap<string, VerifiedCase>): Record<string, number> {
  const counts: Record<string, number> = Object.fromEntries(STATUSES.map((status) => [status, 0]));
  for (const { result } of cases.values()) {
    const status = result?.status ?? 'notrun';
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

/** Whether a case violates something that fails the run. */
function fails({ level, informative, result }: VerifiedCase, options: Options): boolean {
  if (!result || informative) return false;
  const saysMust = result.findings.some((finding: { level: string }) => finding.level === 'must');
  const ended = result.status === 'crash' || result.status === 'timeout' || result.status === 'flaky';
  const must = result.status === 'fail' || (ended && (level === 'must' || level === 'opt' || saysMust));
  const should = result.status === 'warn' || (ended && !must);
  if (!must && !(should && options.strict)) return false;
  if (result.status === 'flaky' && options.allowFlaky) return false;
  if (result.expectation?.outcome === 'met') return false;
  return !(options.acceptKnown && result.knownDeviation && result.expectation?.outcome !== 'different');
}

const staleCases = (cases: ReadonlyMap<string, VerifiedCase>): Set<string> =>
  new Set(
    [...cases.values()]
      .filter(({ informative, result }) => !informative && result?.expectation?.outcome === 'unexpected-pass')
      .map(({ id }) => id),
  );

/** The latest facts about each plugin. */
export function lastFacts(events: readonly LogEvent[]): LogEvent['plugin'][] {
  const facts = new Map<string, LogEvent['plugin']>();
  for (const { type, plugin } of events) {
    if (type !== 'plugin') continue;
    const key = `${plugin.path}\0${plugin.name}`;
    facts.set(key, { ...facts.get(key), ...plugin, failure: plugin.failure });
  }
  return [...facts.values()];
}
