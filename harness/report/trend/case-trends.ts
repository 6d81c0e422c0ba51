import { cleanLine } from '../../base/sanitize.ts';
import { type CaseRun, statusOf } from '../../model/run.ts';
import { STATUSES, type Status } from '../../model/status.ts';
import type { Count } from '../../model/values.ts';
import { breachOf } from '../../verdict/breach.ts';
import { namedRequirementsOf } from '../../verdict/violated-requirements.ts';
import { machineOf, settingsOf } from '../compare/cautions.ts';
import type { NamedRun } from '../compare/side.ts';
import { headline } from '../failure-text.ts';
import { isTried } from './trend-run.ts';

/**
 * What a case that did not end alike in all runs is: `fails-since`: it passed, and fails since a run in which something is
 * different · `unstable`: it passed and failed with nothing different, or went from one to the other three times or more ·
 * `flaky`: it passed, but only in some attempts of a run · `fixed-since`: it failed, and passes since a run in which something is
 * different.
 */
export type CaseTrendKind = 'fails-since' | 'unstable' | 'flaky' | 'fixed-since';

export const CASE_TREND_KINDS: readonly CaseTrendKind[] = ['fails-since', 'unstable', 'flaky', 'fixed-since'];

/**
 * What may differ between two runs and explain that a case ends in another way. `settings`: the profile, the accuracy profile, or
 * create options.
 */
export type Difference = 'plugin' | 'tool' | 'suite' | 'settings' | 'machine';

/** Since when a case fails, or passes. */
interface Since {
  /** Index of the run. */
  run: Count;
  /** What is different from the run before in which it was tried. */
  changed: Difference[];
}

/** A case that did not end alike in all runs that tried it. A violated MUST is a failure, also one that is known or expected. */
export interface CaseTrend {
  case: string;
  kind: CaseTrendKind;
  /** A mark for each run: `.` passed, `F` failed, `C` crashed, `T` timed out, `~` flaky, `-` not tried. */
  strip: string;
  /** Runs in which it passed, failed or was flaky. */
  tried: Count;
  /** Runs in which it failed, crashed or timed out. */
  failed: Count;
  /** Runs in which it passed in some attempts only. */
  flaky: Count;
  since?: Since;
  /** Statuses with which it failed. */
  failures: Status[];
  /** What it violates in the newest run in which it did, on one line. */
  finding: string;
  /** Requirements that its findings name, in all runs. */
  requirements: string[];
}

type Outcome = 'passed' | 'failed' | 'flaky';

/** A case in one run that tried it. */
interface Tried {
  run: number;
  item: CaseRun;
  outcome: Outcome;
  /** What may explain how it ended. */
  facts: Record<Difference, string>;
}

/** All cases that did not end alike, by kind. Runs are in the order of time. */
export function caseTrends(named: readonly NamedRun[]): CaseTrend[] {
  const ids = new Set(named.flatMap(({ run }) => [...run.cases.keys()]));
  const found = [...ids].flatMap((id) => caseTrend(id, named) ?? []);
  return CASE_TREND_KINDS.flatMap((kind) => found.filter((trend) => trend.kind === kind));
}

function caseTrend(id: string, named: readonly NamedRun[]): CaseTrend | undefined {
  const all = named.flatMap((one, run): Tried[] => {
    const item = one.run.cases.get(id);
    return item && isTried(item) ? [{ run, item, outcome: outcomeOf(item), facts: factsOf(one, item, run) }] : [];
  });
  const [kind, since] = kindOf(all) ?? [];
  if (kind === undefined) return undefined;
  const violated = all.filter(({ outcome }) => outcome !== 'passed');
  const statuses = new Set(violated.map(({ item }) => statusOf(item)));
  const requirements = violated.flatMap(({ item }) => namedRequirementsOf(item.result!));
  return {
    case: cleanLine(id),
    kind,
    strip: stripOf(all, named.length),
    tried: all.length,
    failed: violated.filter(({ outcome }) => outcome === 'failed').length,
    flaky: violated.filter(({ outcome }) => outcome === 'flaky').length,
    ...(since ? { since } : {}),
    failures: STATUSES.filter((status) => statuses.has(status)),
    finding: headline(violated.at(-1)!.item),
    requirements: [...new Set(requirements)].sort().map(cleanLine),
  };
}

function outcomeOf(item: CaseRun): Outcome {
  if (breachOf(item.plan.level, item.result) !== 'must') return 'passed';
  return statusOf(item) === 'flaky' ? 'flaky' : 'failed';
}

const factsOf = ({ run }: NamedRun, { suite }: CaseRun, at: number): Tried['facts'] => ({
  // A file that is not known may be any.
  plugin: run.plugins.map(({ sha256 }) => sha256 || `of run ${at}`).join(' ') || `of run ${at}`,
  tool: run.header!.tool.version,
  suite: suite.sha256,
  settings: settingsOf(run),
  machine: machineOf(run.header!),
});

function kindOf(all: readonly Tried[]): [kind: CaseTrendKind, since?: Since] | undefined {
  const decided = all.filter(({ outcome }) => outcome !== 'flaky');
  const turns = decided.filter(({ outcome }, at) => at > 0 && outcome !== decided[at - 1]!.outcome);
  const flaky = decided.length < all.length;
  const passed = decided.some(({ outcome }) => outcome === 'passed');
  if (turns.length >= 3 || isMixed(decided) || (flaky && decided.length > 0 && !passed)) return ['unstable'];
  const turn = turns.at(-1);
  if (!turn) return flaky ? ['flaky'] : undefined;
  const before = decided[decided.indexOf(turn) - 1]!;
  const names = Object.keys(turn.facts) as Difference[];
  const changed = names.filter((name) => turn.facts[name] !== before.facts[name]);
  return [turn.outcome === 'failed' ? 'fails-since' : 'fixed-since', { run: turn.run, changed }];
}

/** Whether it passed and failed although nothing was different. */
function isMixed(decided: readonly Tried[]): boolean {
  const outcomes = new Map<string, Outcome>();
  return decided.some(({ facts, outcome }) => {
    const key = Object.values(facts).join('\0');
    const known = outcomes.get(key) ?? outcome;
    outcomes.set(key, known);
    return known !== outcome;
  });
}

const MARKS: Readonly<Partial<Record<Status, string>>> = { crash: 'C', timeout: 'T', flaky: '~' };

function stripOf(all: readonly Tried[], length: number): string {
  const marks = Array<string>(length).fill('-');
  for (const { run, item, outcome } of all) marks[run] = outcome === 'passed' ? '.' : (MARKS[statusOf(item)] ?? 'F');
  return marks.join('');
}
