import { counted } from '../../base/counted.ts';
import { cleanLine } from '../../base/sanitize.ts';
import type { Header, Run } from '../../model/run.ts';
import { recordedVerdict } from '../../verdict/verdict.ts';
import { suitesThatChanged } from './case-changes.ts';
import { type Side, type SideCase, unsteadyText } from './side.ts';

/** Suites and cases that are named before the rest is only counted. */
const NAMED = 5;

/** Reasons why two sides are hard to compare, one line each. */
export function cautionsOf(old: Side, now: Side): string[] {
  return [
    ...differences(old.first, now.first),
    ...suites(old, now),
    ...incomplete('OLD', old),
    ...incomplete('NEW', now),
    ...unlikeRepeats('OLD', old),
    ...unlikeRepeats('NEW', now),
    ...unsteady('OLD', old),
    ...unsteady('NEW', now),
  ].map(cleanLine);
}

/** Why times and memory are not comparable if the machines differ. */
export function otherMachine({ header: old }: Run, { header: now }: Run): string | undefined {
  if (!old || !now) return 'a log does not record its machine';
  const [before, after] = [machineOf(old), machineOf(now)];
  return before === after ? undefined : cleanLine(`the machines differ: ${before} against ${after}`);
}

/** The kind of a machine: times and memory are only compared between runs of one kind. */
export const machineOf = ({ host }: Header): string => `${host.os.split(' ')[0]} ${host.arch}, ${host.cpus} CPUs`;

function accuracyOf({ numerics }: Header): string {
  return numerics?.profile ?? 'standard';
}

/** What runs that are compared should have in common, what it is in a run, and what it means if it differs. */
export const IN_COMMON: readonly (readonly [what: string, of: (header: Header, run: Run) => string, hint: string])[] = [
  ['tools', ({ tool }) => tool.version, '; the checks may have changed'],
  ['profiles', ({ profile }) => profile, ''],
  ['accuracy profiles', accuracyOf, ''],
  ['options', ({ options }) => words({ ...options }), ''],
  ['create options', (_, run) => createOptions(run), ''],
  ['expectations', (_, run) => expectations(run), '; expected failures are not regressions'],
  ['plugins', ({ plugins }) => plugins.map(({ name }) => name).join(' + '), ', by their names'],
];

/** What may be set in a run and decide how a case ends in it. */
export const settingsOf = (run: Run): string =>
  JSON.stringify([run.header!.profile, accuracyOf(run.header!), createOptions(run)]);

function* differences(old: Run, now: Run): Generator<string> {
  if (!old.header || !now.header) return;
  const unlike = function* (what: string, [before, after]: [string, string], hint = ''): Generator<string> {
    if (before !== after) yield `the ${what} differ: ${before} against ${after}${hint}`;
  };
  for (const [what, of, hint] of IN_COMMON) yield* unlike(what, [of(old.header, old), of(now.header, now)], hint);
  const machine = otherMachine(old, now);
  if (machine) yield `${machine}; times and memory are not compared`;
  else yield* unlike('hosts', [old.header.host.name, now.header.host.name], '; times may differ for that');
}

const expectations = ({ header }: Run): string =>
  header?.expectations?.files.map(({ file, sha256 }) => `${file} (${sha256.slice(0, 8)})`).join(', ') || 'none';

const createOptions = ({ plugins }: Run): string => plugins.flatMap(({ options = [] }) => options).join(' ') || 'none';

function* suites(old: Side, now: Side): Generator<string> {
  const changed = [...suitesThatChanged(old, now)];
  if (changed.length === 0) return;
  const inBoth = ({ worst: { plan, suite } }: SideCase): boolean =>
    changed.includes(suite.suite) && old.cases.has(plan.id);
  const count = [...now.cases.values()].filter(inBoth).length;
  yield `the files of ${listed(changed, 'suite')} changed (${counted(count, 'case')} in both): their checks may have changed`;
}

function* incomplete(side: string, { runs }: Side): Generator<string> {
  for (const { name, run } of runs) yield* missingOf(`${side} (${name})`, run);
}

/** Whether cases of a run have no result because it was interrupted, or no plugin could be used. */
export const isIncomplete = (run: Run): boolean => recordedVerdict(run).exitCode > 1;

/** What a run lacks, one sentence each. @param subject the run, at the beginning of a sentence */
export function* missingOf(subject: string, run: Run): Generator<string> {
  if (isIncomplete(run)) yield `${subject} is incomplete: ${recordedVerdict(run).line}`;
  const part = run.header?.shard;
  if (part) yield `${subject} is part ${part.index} of ${part.count} alone`;
}

/** Repeats must be of the same plugin and suites, or their spread is not noise. */
function* unlikeRepeats(side: string, { runs }: Side): Generator<string> {
  const what = ({ run }: { run: Run }): string =>
    [run.plugins.map(({ sha256 }) => sha256), run.header?.tool.version, run.header?.profile].join(' ');
  const other = runs.find((run) => what(run) !== what(runs[0]!));
  if (other) {
    yield `${side}: ${runs[0]!.name} and ${other.name} are not repeats of one run: different plugin, tool or profile`;
  }
}

function* unsteady(side: string, { cases }: Side): Generator<string> {
  const ids = [...cases].filter(([, sideCase]) => unsteadyText(sideCase) !== undefined).map(([id]) => id);
  if (ids.length > 0) yield `${side}: ${listed(ids, 'case')} varied between runs; the worst status counts`;
}

/** `7 suites (a, b, c, d, e and 2 more)`. */
export function listed(names: readonly string[], noun: string): string {
  const shown = names.slice(0, NAMED).join(', ');
  const rest = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${counted(names.length, noun)} (${shown}${rest})`;
}

const words = (options: Record<string, unknown>): string =>
  Object.entries(options)
    .filter(([, value]) => value)
    .map(([name]) => name)
    .join(', ') || 'none';
