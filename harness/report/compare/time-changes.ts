import { groupedBy } from '../../base/grouping.ts';
import { cleanLine } from '../../base/sanitize.ts';
import { type CaseRun, type Run, statusOf } from '../../model/run.ts';
import type { FoundChange } from './change.ts';
import type { Thresholds } from './policy.ts';
import type { Side } from './side.ts';
import { median, signConfidence } from './sign-test.ts';

/** Time in calls of a function, old and new, over the cases that passed on both sides. */
export interface TimeRecord {
  /** `PJRT_Client_Compile`; `all native calls` if a log has no times by function. */
  function: string;
  /** Only in the cases of this suite; default: in all. */
  suite?: string;
  /** Cases in which it took long enough to be compared. */
  cases: number;
  /** Sum over these cases in milliseconds; with repeats, of the median of each case. */
  oldMs: number;
  newMs: number;
  /** The median over the cases of the ratio of new to old time, after correction for the machine. */
  ratio: number;
  /** The correction: how much slower (or faster) the machine may have made these cases. */
  machine: number;
  /** Number of slower cases among all, and the confidence that the function is slower: the sign test. */
  slower: number;
  confidence: number;
  /** The same for faster. */
  faster: number;
  fasterConfidence: number;
  /** With repeats: whether new runs exceed old ones in nine of ten pairs or more. */
  separated: boolean;
  verdict: 'slower' | 'faster' | 'same' | 'too few cases';
}

export interface TimeComparison {
  /** Why times are not compared. */
  omitted?: string;
  /** How much slower the harness itself was on the new side, independently of the plugin; and over how many cases. */
  machine: { ratio: number; cases: number };
  /** By function over all suites, then by function and suite. */
  records: TimeRecord[];
}

/** The log has no functions below this time. */
const FLOOR_MS = 0.05;
const ALL = 'all native calls';
/** Whether a case has to wait for a short operation is chance: it counts where the case waited on both sides. */
const WAIT = 'PJRT_Event_Await';
/** With fewer cases the machine's effect cannot be estimated. */
const MACHINE_CASES = 10;

/** Time of one function in one case: one value for each run. */
interface Pair {
  suite: string;
  old: number[];
  new: number[];
  /** How much longer the case waited for a processor on the new side, relative to what it ran: a ratio. */
  crowding: number | undefined;
}

/** Times of the cases that passed everywhere. */
export function compareTimes(old: Side, now: Side, thresholds: Thresholds['slowdown']): TimeComparison {
  const crowded = old.runs.length > 1 && now.runs.length > 1 ? undefined : tooCrowded(old, now);
  if (crowded) return { omitted: crowded, machine: { ratio: 1, cases: 0 }, records: [] };
  const found: [name: string, pair: Pair][] = [];
  const harness: number[] = [];
  const detailed = [...old.runs, ...now.runs].every(({ run }) => namesFunctions(run));
  for (const [id, after] of now.cases) {
    const before = old.cases.get(id);
    if (!before) continue;
    const [a, b] = [before, after].map(({ all }) => all.map(({ item }) => item));
    if (![...a!, ...b!].every(passed)) continue;
    if (a!.length !== old.runs.length || b!.length !== now.runs.length) continue;
    harness.push(median(b!.map(harnessMs)) / median(a!.map(harnessMs)));
    const { suite } = after.worst.suite;
    const crowding = crowdingRatio(a!, b!);
    for (const name of detailed ? functionsOf([...a!, ...b!]) : [ALL])
      found.push([name, { suite, old: a!.map(timeIn(name)), new: b!.map(timeIn(name)), crowding }]);
  }
  const machine = sureMedian(harness) ?? 1;
  const records: TimeRecord[] = [];
  const functions = [...groupedBy(found, ([name]) => name)].sort(([x], [y]) => (x < y ? -1 : 1));
  for (const [name, pairs] of functions) {
    const list = pairs.map(([, pair]) => pair);
    const whole = judge(cleanLine(name), list, machine, thresholds);
    if (whole.cases === 0) continue;
    records.push(whole);
    const suites = groupedBy(list, ({ suite }) => suite);
    if (suites.size < 2) continue;
    for (const [suite, own] of suites) {
      const record = { ...judge(cleanLine(name), own, machine, thresholds), suite: cleanLine(suite) };
      if (record.cases >= thresholds['minimum-cases']) records.push(record);
    }
  }
  return { machine: { ratio: round(machine), cases: harness.length }, records };
}

/** Time in a function in each run, in milliseconds: over the cases, of a suite or of all, that passed in all of them. */
export function timesByRun(runs: readonly Run[], name: string, suite?: string): number[] {
  const isCompared = (item: CaseRun | undefined): boolean =>
    item !== undefined && passed(item) && (suite === undefined || item.suite.suite === suite);
  const ids = [...runs[0]!.cases.keys()].filter((id) => runs.every(({ cases }) => isCompared(cases.get(id))));
  const timeOf = ({ result }: CaseRun): number => (name === ALL ? result!.nativeMs : (result!.callMs?.[name] ?? 0));
  return runs.map(({ cases }) => round(ids.reduce((sum, id) => sum + timeOf(cases.get(id)!), 0)));
}

/** A function that changed as a whole needs no record for each suite. */
export function withoutParts<T extends { function: string; suite?: string; verdict: string }>(
  records: readonly T[],
): T[] {
  const whole = new Map(records.filter(({ suite }) => suite === undefined).map((one) => [one.function, one.verdict]));
  return records.filter(({ suite, verdict, ...one }) => suite === undefined || whole.get(one.function) !== verdict);
}

/** What is slower or faster. */
export function* timeChanges(comparison: TimeComparison): Generator<FoundChange> {
  for (const record of withoutParts(comparison.records)) {
    if (record.verdict !== 'slower' && record.verdict !== 'faster') continue;
    const slower = record.verdict === 'slower';
    yield {
      kind: slower ? 'slowdown' : 'speedup',
      subject: record.suite === undefined ? record.function : `${record.function} in ${record.suite}`,
      old: milliseconds(record.oldMs),
      new: milliseconds(record.newMs),
      message:
        `${times(slower ? record.ratio : 1 / record.ratio)} as ${slower ? 'slow' : 'fast'} over ${record.cases} cases, ` +
        `${slower ? 'slower' : 'faster'} in ${slower ? record.slower : record.faster} of them; ` +
        `confidence ${percent(slower ? record.confidence : record.fasterConfidence)}` +
        beyond(record.machine, slower),
    };
  }
}

/** The correction, if it is worth mentioning. */
function beyond(machine: number, slower: boolean): string {
  const ratio = slower ? machine : 1 / machine;
  return ratio < 1.05 ? '' : ` (beyond the machine, which was ${times(ratio)} as ${slower ? 'slow' : 'fast'})`;
}

/**
 * Two questions: is the difference more than chance (the sign test over the cases), and is it large enough to matter (the
 * median ratio)? Significance alone is not enough: with hundreds of cases a machine that is 5 % slower is significant.
 */
function judge(name: string, list: readonly Pair[], machine: number, thresholds: Thresholds['slowdown']): TimeRecord {
  const counted = name === WAIT ? Math.min : Math.max;
  const points = list
    .map((pair) => ({ pair, old: median(pair.old), new: median(pair.new) }))
    .filter((point) => counted(point.old, point.new) >= thresholds['minimum-ms']);
  const pairs = points.map(({ pair }) => pair);
  const done = machineDid(pairs, machine);
  const changes = points.map((point) => beyondMachine(Math.log(point.new / point.old), done));
  const change = points.length === 0 ? 0 : median(changes);
  const slower = changes.filter((value) => value > 0).length;
  const faster = changes.filter((value) => value < 0).length;
  const record = {
    function: name,
    cases: points.length,
    oldMs: round(points.reduce((sum, point) => sum + point.old, 0)),
    newMs: round(points.reduce((sum, point) => sum + point.new, 0)),
    ratio: round(Math.exp(change)),
    machine: round(Math.exp(change < 0 ? done.least : done.most)),
    slower,
    confidence: signConfidence(slower, points.length),
    faster,
    fasterConfidence: signConfidence(faster, points.length),
    separated: points.length > 0 && isSeparated(points, done, change > 0),
  };
  return { ...record, verdict: verdictOf(record, thresholds) };
}

/** Logarithms of the largest and the smallest effect that the machine may have had: 0 or more, 0 or less. */
interface MachineDid {
  most: number;
  least: number;
}

/**
 * The possible effect of the machine on these cases, from two estimates that the plugin does not influence: how much slower the
 * harness itself was, and the scheduler's record of how long the thread waited for a processor.
 */
function machineDid(pairs: readonly Pair[], harness: number): MachineDid {
  const crowding = sureMedian(pairs.flatMap((pair) => pair.crowding ?? []));
  const known = [harness, crowding].filter((ratio) => ratio !== undefined).map(Math.log);
  return { most: Math.max(0, ...known), least: Math.min(0, ...known) };
}

/** What remains of a change after the correction. The correction can only reduce a change. */
const beyondMachine = (change: number, { most, least }: MachineDid): number =>
  change > 0 ? Math.max(0, change - most) : Math.min(0, change - least);

function verdictOf(record: Omit<TimeRecord, 'verdict'>, thresholds: Thresholds['slowdown']): TimeRecord['verdict'] {
  const { cases, ratio, separated, confidence, fasterConfidence } = record;
  if (cases < thresholds['minimum-cases']) return 'too few cases';
  if (!separated) return 'same';
  if (ratio >= thresholds.ratio && confidence >= thresholds.confidence) return 'slower';
  if (ratio <= 1 / thresholds.ratio && fasterConfidence >= thresholds.confidence) return 'faster';
  return 'same';
}

/**
 * Whether new runs exceed old ones in nine of ten pairs. The cases of one run are not independent (other load slows all of
 * them), so only repeats can distinguish a slow plugin from a busy machine, however many cases there are.
 */
function isSeparated(points: readonly { pair: Pair; old: number }[], done: MachineDid, slower: boolean): boolean {
  const level = (side: 'old' | 'new', run: number): number =>
    median(points.map(({ pair, old }) => Math.log(pair[side][run]! / old)));
  const runs = (side: 'old' | 'new'): number[] => points[0]!.pair[side].map((_, run) => level(side, run));
  const [old, now] = [runs('old'), runs('new').map((value) => beyondMachine(value, done))];
  const pairs = now.flatMap((after) => old.map((before) => (slower ? after > before : after < before)));
  // Every pair if there are few runs; of many, one may be an outlier.
  return pairs.filter(Boolean).length >= pairs.length * 0.9;
}

const passed = (item: CaseRun): boolean => statusOf(item) === 'pass' || statusOf(item) === 'warn';

/** Beyond this a thread waits longer for a processor than it runs: then times of single runs are useless. */
const CROWDED = 2;

function tooCrowded(old: Side, now: Side): string | undefined {
  const levels = [...old.runs, ...now.runs].map(({ run }) =>
    median([...run.cases.values()].map(crowdingOf).filter((value) => value !== undefined)),
  );
  const level = Math.max(...levels.filter((value) => !Number.isNaN(value)));
  if (!(level > CROWDED)) return undefined;
  return `the machine was so busy that cases waited ${(level - 1).toFixed(1)} times as long for a CPU as they ran; repeat both sides`;
}

function crowdingRatio(old: readonly CaseRun[], now: readonly CaseRun[]): number | undefined {
  const [before, after] = [old, now].map((items) => items.map(crowdingOf).filter((value) => value !== undefined));
  return before!.length < old.length || after!.length < now.length ? undefined : median(after!) / median(before!);
}

/** The median, if there are enough values. */
const sureMedian = (values: readonly number[]): number | undefined =>
  values.length < MACHINE_CASES ? undefined : median(values);

/** Elapsed time relative to the time with a dedicated processor, if the log has it. */
function crowdingOf({ result }: CaseRun): number | undefined {
  const { runningMs, waitingMs } = result?.scheduling ?? { runningMs: 0, waitingMs: 0 };
  return runningMs > 0 ? (runningMs + waitingMs) / runningMs : undefined;
}

/** Time in a case outside the plugin: a measure of the machine's speed. */
const harnessMs = ({ result }: CaseRun): number => Math.max(FLOOR_MS, result!.durationMs - result!.nativeMs);

/** Logs before version 1.2 have no times by function. */
const namesFunctions = ({ cases }: Run): boolean =>
  [...cases.values()].some(({ result }) => result?.callMs !== undefined);

const functionsOf = (items: readonly CaseRun[]): Set<string> =>
  new Set(items.flatMap(({ result }) => Object.keys(result!.callMs ?? {})));

const timeIn =
  (name: string) =>
  ({ result }: CaseRun): number =>
    Math.max(FLOOR_MS, name === ALL ? result!.nativeMs : (result!.callMs?.[name] ?? 0));

const round = (value: number): number => Math.round(value * 1000) / 1000;

const times = (ratio: number): string => `${ratio.toFixed(2)}×`;

const milliseconds = (value: number): string =>
  value < 1000 ? `${value.toFixed(1)} ms` : `${(value / 1000).toFixed(2)} s`;

/** 99.99 % at most, to avoid false certainty. */
const percent = (confidence: number): string =>
  confidence > 0.9999 ? 'over 99.99 %' : `${(Math.floor(confidence * 10_000) / 100).toFixed(2)} %`;
