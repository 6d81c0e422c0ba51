import { counted } from '../../base/counted.ts';
import { cleanLine } from '../../base/sanitize.ts';
import type { FrameworkVerdict } from '../../model/framework-verdict.ts';
import type { PluginFacts } from '../../model/plugin-facts.ts';
import type { Run } from '../../model/run.ts';
import type { Counts } from '../../model/status.ts';
import { matchesCase } from '../../suite/case-glob.ts';
import { frameworkLine, recordedVerdict, type Verdict } from '../../verdict/verdict.ts';
import { behaviourChanges } from './behaviour-changes.ts';
import { caseChanges, type Transition, transitions } from './case-changes.ts';
import { cautionsOf, otherMachine } from './cautions.ts';
import { ACTIONS, type Action, CHANGE_KINDS, type Change, type FoundChange } from './change.ts';
import { goneChanges } from './gone-cases.ts';
import { compareMemory, type MemoryComparison, memoryChanges } from './memory-changes.ts';
import { compareNumerics, type NumericComparison, numericChanges } from './numeric-changes.ts';
import { pluginChanges } from './plugin-changes.ts';
import type { Policy } from './policy.ts';
import { comparePrograms, type ProgramComparison, programChanges } from './program-changes.ts';
import { type NamedRun, Side } from './side.ts';
import { compareTimes, type TimeComparison, timeChanges } from './time-changes.ts';

/** One side of a comparison. */
export interface ComparedSide {
  /** Files as given. */
  logs: string[];
  /** Number of runs; more than one are repeats. */
  runs: number;
  tool?: string;
  profile?: string;
  startedAt?: string;
  host?: string;
  plugins: Pick<PluginFacts, 'name' | 'path' | 'sha256' | 'apiVersion' | 'platformName' | 'platformVersion'>[];
  /** Of the first run. */
  verdict: Verdict;
  counts: Counts;
  cases: number;
}

/**
 * The comparison of two sides: a pure function of both and of a policy, and the source of the comparison's text, JSON
 * (schemas/comparison.schema.json), JUnit and HTML reports. All strings are clean, single lines, except those of `detail`.
 *
 * - `changes` has every difference, most severe first: those that fail the gate, then warnings, then ignored ones (fixed or
 *   gained, new cases, faster calls). `kind` is a key of `CHANGES` (change.ts), whose `title` is a heading.
 * - `transitions` is the matrix of statuses: the number of cases that changed from one to another.
 * - `numerics`, `times` and `programs` hold the data behind `ulp-drift`, `slowdown` and `program-memory`, also where nothing
 *   changed, for plots.
 */
export interface Comparison {
  old: ComparedSide;
  new: ComparedSide;
  gate: {
    /** `fail` if any change has the action `fail`. */
    verdict: 'pass' | 'fail';
    /** The reason, on one line. */
    line: string;
    counts: Record<Action, number>;
  };
  /** What makes the sides hard to compare: other tools, suites or machines, unfinished runs. */
  cautions: string[];
  changes: Change[];
  transitions: Transition[];
  numerics: NumericComparison;
  times: TimeComparison;
  memory: MemoryComparison;
  programs: ProgramComparison;
}

/** Compares runs; several on one side are repeats. */
export function compareRuns(oldRuns: readonly NamedRun[], newRuns: readonly NamedRun[], policy: Policy): Comparison {
  const [old, now] = [new Side(oldRuns), new Side(newRuns)];
  const sameCases = [...old.cases.keys()].every((id) => now.cases.has(id));
  const machine = otherMachine(old.first, now.first);
  const numerics = compareNumerics(old, now, policy.thresholds['ulp-drift']);
  const times = machine
    ? { omitted: machine, machine: { ratio: 1, cases: 0 }, records: [] }
    : compareTimes(old, now, policy.thresholds.slowdown);
  const memory = compareMemoryOf(old, now, policy, machine);
  const programs = machine
    ? { omitted: machine, records: [] }
    : comparePrograms(old, now, policy.thresholds['program-memory']);
  const found: FoundChange[] = [
    ...runChanges(old, now, sameCases),
    ...caseChanges(old, now),
    ...goneChanges(old, now, policy.thresholds['fewer-cases']),
    ...numericChanges(numerics, now),
    ...behaviourChanges(old, now),
    ...timeChanges(times),
    ...memoryChanges(memory),
    ...programChanges(programs),
  ];
  const used = new Set<number>();
  const changes = found.map((change) => judged(change, policy, used)).sort(heaviestFirst);
  const idle = policy.exceptions.filter((_, index) => !used.has(index));
  const counts = Object.fromEntries(
    ACTIONS.map((action) => [action, changes.filter((change) => change.action === action).length]),
  ) as Record<Action, number>;
  return {
    old: sideOf(old),
    new: sideOf(now),
    gate: { verdict: counts.fail > 0 ? 'fail' : 'pass', line: gateLine(counts, now.cases.size), counts },
    cautions: [
      ...cautionsOf(old, now),
      ...idle.map(
        ({ match }) => `the exception ${cleanLine(match)} of the policy matches no change: is it still needed?`,
      ),
    ],
    changes,
    transitions: transitions(old, now),
    numerics,
    times,
    memory,
    programs,
  };
}

/** Cases that both sides have; without any there is nothing to compare. */
export function commonCases(oldRuns: readonly NamedRun[], newRuns: readonly NamedRun[]): number {
  const ids = new Set(oldRuns.flatMap(({ run }) => [...run.cases.keys()]));
  return new Set(newRuns.flatMap(({ run }) => [...run.cases.keys()].filter((id) => ids.has(id)))).size;
}

function compareMemoryOf(old: Side, now: Side, policy: Policy, machine: string | undefined): MemoryComparison {
  if (machine) return { omitted: machine, grown: false };
  if (old.cases.size !== now.cases.size || [...now.cases.keys()].some((id) => !old.cases.has(id))) {
    return { omitted: 'the two sides ran different cases', grown: false };
  }
  return compareMemory(old, now, policy.thresholds['memory-growth']);
}

/** Changes outside cases: plugins, framework releases, breaches outside any case. */
function* runChanges(old: Side, now: Side, sameCases: boolean): Generator<FoundChange> {
  const count = Math.max(old.first.plugins.length, now.first.plugins.length);
  for (let index = 0; index < count; index++) {
    const [before, after] = [old.plugin(index), now.plugin(index)];
    if (!before || !after) continue;
    const several = count > 1 ? { plugin: cleanLine(after.name) } : {};
    for (const change of pluginChanges(before, after, sameCases)) yield { ...change, ...several };
  }
  yield* frameworkChanges(old.first, now.first);
  const breaches = (run: Run): string[] => run.notes.filter(({ breach }) => breach).map(({ message }) => message);
  if (old.runs.some(({ run }) => breaches(run).length > 0)) return;
  for (const message of now.runs.flatMap(({ run }) => breaches(run)).slice(0, 1)) {
    yield { kind: 'new-breach', subject: 'outside any case', message: cleanLine(message) };
  }
}

function* frameworkChanges(old: Run, now: Run): Generator<FoundChange> {
  const works = (outcome: string): boolean => outcome === 'works' || outcome === 'limits';
  for (const after of now.frameworks) {
    const before = old.frameworks.find(
      ({ framework, version }) => framework === after.framework && version === after.version,
    );
    if (!before) continue;
    const subject = cleanLine(`${after.framework}@${after.version}`);
    const change = { subject, old: before.outcome, new: after.outcome, message: cleanLine(frameworkLine(after)) };
    const limits = newLimits(before, after).map(cleanLine);
    if (works(before.outcome) && !works(after.outcome)) yield { kind: 'framework-breaks', ...change };
    else if (!works(before.outcome) && works(after.outcome)) yield { kind: 'fixed', ...change };
    else if (works(after.outcome) && limits.length > 0) yield { kind: 'framework-limits', ...change, detail: limits };
  }
}

/** Limits are the same if their facts are, whatever their words; logs without facts have only words. */
function newLimits(before: FrameworkVerdict, { limits, limitFacts }: FrameworkVerdict): string[] {
  if (!before.limitFacts || !limitFacts) return limits.filter((limit) => !before.limits.includes(limit));
  const keyOf = (fact: LimitFact | undefined): string => `${fact?.moment} ${fact?.about} ${fact?.outcome}`;
  const known = new Set(before.limitFacts.map(keyOf));
  return limits.filter((_, index) => !known.has(keyOf(limitFacts[index])));
}

type LimitFact = NonNullable<FrameworkVerdict['limitFacts']>[number];

/** The policy's action for a change: that of the first matching exception, else that of its kind. */
function judged({ most, ...change }: FoundChange, { actions, exceptions }: Policy, used: Set<number>): Change {
  const at = exceptions.findIndex(
    ({ match, changes }) =>
      (changes === undefined || changes.includes(change.kind)) && matchesCase(match, change.subject),
  );
  if (at !== -1) {
    used.add(at);
    const { action, reason } = exceptions[at]!;
    return { ...change, action, exception: cleanLine(reason) };
  }
  const action = actions[change.kind];
  return { ...change, action: most && ACTIONS.indexOf(action) < ACTIONS.indexOf(most) ? most : action };
}

function heaviestFirst(a: Change, b: Change): number {
  return (
    ACTIONS.indexOf(a.action) - ACTIONS.indexOf(b.action) || CHANGE_KINDS.indexOf(a.kind) - CHANGE_KINDS.indexOf(b.kind)
  );
}

function gateLine({ fail, warn }: Record<Action, number>, cases: number): string {
  const regressions = fail > 0 ? counted(fail, 'regression') : `no regression in ${cases} cases`;
  return warn > 0 ? `${regressions}, ${counted(warn, 'warning')}` : regressions;
}

function sideOf({ runs, first, cases }: Side): ComparedSide {
  const { header, counts } = first;
  const about = header && {
    tool: `${header.tool.name} ${header.tool.version}`,
    profile: header.profile,
    startedAt: header.startedAt,
    host: `${header.host.name} (${header.host.os} ${header.host.arch}, ${header.host.cpus} CPUs)`,
  };
  return {
    logs: runs.map(({ name }) => cleanLine(name)),
    runs: runs.length,
    ...(about && withCleanLines(about)),
    plugins: first.plugins.map(({ name, path, sha256, apiVersion, platformName, platformVersion }) =>
      withCleanLines({ name, path, sha256, apiVersion, platformName, platformVersion }),
    ),
    verdict: withCleanLines(recordedVerdict(first)),
    counts,
    cases: cases.size,
  };
}

/** The same with every text on one clean line. */
const withCleanLines = <T extends object>(facts: T): T =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, typeof value === 'string' ? cleanLine(value) : value]),
  ) as T;
