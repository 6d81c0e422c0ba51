import { counted } from '../../base/counted.ts';
import { cleanLine } from '../../base/sanitize.ts';
import type { Run } from '../../model/run.ts';
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
  const [before, after] = [old, now].map(({ host }) => `${host.os.split(' ')[0]} ${host.arch}, ${host.cpus} CPUs`);
  return before === after ? undefined : cleanLine(`the machines differ: ${before} against ${after}`);
}

function* differences(oldRun: Run, newRun: Run): Generator<string> {
  const [old, now] = [oldRun.header, newRun.header];
  if (!old || !now) return;
  const unlike = function* (what: string, of: (run: Run) => string, hint = ''): Generator<string> {
    const [before, after] = [of(oldRun), of(newRun)];
    if (before !== after) yield `the ${what} differ: ${before} against ${after}${hint}`;
  };
  yield* unlike('tools', ({ header }) => header!.tool.version, '; the checks may have changed');
  yield* unlike('profiles', ({ header }) => header!.profile);
  yield* unlike('accuracy profiles', ({ header }) => header!.numerics?.profile ?? 'standard');
  yield* unlike('options', ({ header }) => words({ ...header!.options }));
  yield* unlike('create options', createOptions);
  yield* unlike('expectations', expectations, '; expected failures are not regressions');
  yield* unlike('plugins', ({ header }) => header!.plugins.map(({ name }) => name).join(' + '), ', by their names');
  const machine = otherMachine(oldRun, newRun);
  if (machine) yield `${machine}; times and memory are not compared`;
  else yield* unlike('hosts', ({ header }) => header!.host.name, '; times may differ for that');
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
  for (const { name, run } of runs) {
    const { exitCode, line } = recordedVerdict(run);
    if (exitCode >= 2) yield `${side} (${name}) is incomplete: ${line}`;
    const part = run.header?.shard;
    if (part) yield `${side} (${name}) is part ${part.index} of ${part.count} alone`;
  }
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

function listed(names: readonly string[], noun: string): string {
  const shown = names.slice(0, NAMED).join(', ');
  const rest = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${counted(names.length, noun)} (${shown}${rest})`;
}

const words = (options: Record<string, unknown>): string =>
  Object.entries(options)
    .filter(([, value]) => value)
    .map(([name]) => name)
    .join(', ') || 'none';
