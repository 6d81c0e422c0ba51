import { cleanLine } from '../../base/sanitize.ts';
import type { Run } from '../../model/run.ts';
import type { Status } from '../../model/status.ts';
import { placeOf } from '../failure-text.ts';
import type { FoundChange } from './change.ts';
import type { Thresholds } from './policy.ts';
import type { Side, SideCase } from './side.ts';

/** Cases of the old side that the new one did not even plan: one by one, by suite, and in number. */
export function* goneChanges(old: Side, now: Side, { percent }: Thresholds['fewer-cases']): Generator<FoundChange> {
  const suites = new Set([...now.cases.values()].map(({ worst }) => worst.suite.suite));
  const gone = [...old.cases].filter(([id]) => !now.cases.has(id));
  const whole = new Map<string, SideCase[]>();
  for (const [id, before] of gone) {
    const { suite } = before.worst.suite;
    if (!suites.has(suite)) whole.set(suite, [...(whole.get(suite) ?? []), before]);
    else {
      const message = `was ${before.status}; its suite ran without it`;
      yield { kind: 'gone-case', subject: cleanLine(id), old: before.status, message, place: placeOf(before.worst) };
    }
  }
  const excuse = excuseOf(old.first, now.first);
  for (const [suite, cases] of whole) {
    const count = cases.length === 1 ? 'its case was' : `its ${cases.length} cases were`;
    const message = `no case of the suite ran; ${count} in the old run`;
    // Nothing is lost with a suite of which nothing could run.
    if (!cases.some(executed)) yield { kind: 'gone-case', subject: cleanLine(suite), message };
    else yield { kind: 'gone-suite', subject: cleanLine(suite), message, ...excuse };
  }
  const ran = [...old.cases.values()].filter(executed).length;
  const lost = gone.filter(([, before]) => executed(before)).length;
  const fresh = [...now.cases].filter(([id, after]) => !old.cases.has(id) && executed(after)).length;
  const fewer = lost - fresh;
  if (fewer <= (ran * percent) / 100) return;
  const share = Math.round((100 * fewer) / ran);
  yield {
    kind: 'fewer-cases',
    subject: 'cases',
    old: String(ran),
    new: String(ran - fewer),
    message: `${fewer} of ${ran} cases (${share} %) are gone that the old run executed; up to ${percent} % may be`,
    detail: whyGone(old.first, now.first),
    ...(isPart(old.first, now.first) ? excuse : {}),
  };
}

const NOT_EXECUTED: readonly Status[] = ['unsupported', 'skip', 'notrun'];

const executed = ({ status }: SideCase): boolean => !NOT_EXECUTED.includes(status);

const isPart = (old: Run, now: Run): boolean => now.header?.shard !== undefined && old.header?.shard === undefined;

/** Why a suite that is gone does not fail the gate: the new run is no whole one, or its tool has other suites. */
function excuseOf(old: Run, now: Run): Pick<FoundChange, 'most' | 'exception'> {
  const part = now.header?.shard;
  if (part && isPart(old, now)) return { most: 'warn', exception: `part ${part.index} of ${part.count} alone` };
  const [before, after] = toolsOf(old, now);
  if (before === after) return {};
  return { most: 'warn', exception: `the tools differ: ${before} against ${after}, which may have other suites` };
}

const toolsOf = (...runs: Run[]): (string | undefined)[] => runs.map(({ header }) => header?.tool.version);

/** No selection. */
const ALL = 'all cases';

/** What the logs say of the reason for missing cases, and what to do; one line each. */
function whyGone(old: Run, now: Run): string[] {
  const { shard } = now.header ?? {};
  if (shard && isPart(old, now))
    return [`the new run is part ${shard.index} of ${shard.count}: compare the report that merges all parts`];
  const lines: string[] = [];
  const [before, after] = toolsOf(old, now);
  if (before !== after)
    lines.push(`the versions of the tool differ: ${before} then, ${after} now; make a new baseline`);
  const profiles = [old, now].map(({ header }) => header?.profile);
  if (profiles[0] !== profiles[1])
    lines.push(`the profiles differ: ${profiles[0]} then, ${profiles[1]} now; compare runs of the same profile`);
  const [then = 'one that is not recorded', given] = [selectionOf(old), selectionOf(now)];
  if (given !== undefined && then !== given)
    lines.push(`the selections differ: ${then || ALL} then, ${given || ALL} now; compare runs of the same selection`);
  if (lines.length === 0) lines.push('nothing in the logs explains it: were suites left out (--suites), or renamed?');
  lines.push('if it is meant to be so, make a new baseline, or allow it in the policy (gone-suite, fewer-cases)');
  return lines.map(cleanLine);
}

/** Options that select cases, as the log of a run records them. */
const SELECTING = {
  suite: '--suite',
  tests: '--tests',
  tag: '--tag',
  requirement: '--requirement',
  exclude: '--exclude',
  testsFrom: '--tests-from',
  failedOf: '--failed-of',
  lastFailed: '--last-failed',
  suites: '--suites',
};

/** The selection as options of the command line; undefined if the run does not record it. */
function selectionOf({ header }: Run): string | undefined {
  const options = header?.invocation?.options;
  if (!options) return undefined;
  return Object.entries(SELECTING)
    .flatMap(([name, flag]) => [options[name] ?? []].flat().map((value) => `${flag} ${value}`))
    .join(' ');
}
