import { groupedBy } from '../base/grouping.ts';
import { cleanLine } from '../base/sanitize.ts';
import type { Event } from '../model/events.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import type { Header, Run } from '../model/run.ts';
import { selectionDigest } from '../model/selection-digest.ts';

/** One of several logs to merge. */
export interface Part {
  name: string;
  events: readonly Event[];
  header: Header;
  run: Run;
}

/** What a set of logs can have wrong: they contradict each other, or something is missing. */
export interface MergeFault {
  kind: MergeFaultKind;
  message: string;
}

export type MergeFaultKind =
  | 'twice'
  | 'earlier-copy'
  | 'whole-run'
  | 'same-shard'
  | 'same-case'
  | 'other-count'
  | 'other-tool'
  | 'other-profile'
  | 'other-selection'
  | 'other-durations'
  | 'other-options'
  | 'other-settings'
  | 'other-expectations'
  | 'other-plugin'
  | 'other-machine'
  | 'other-suite'
  | 'missing-shard'
  | 'missing-case'
  | 'unfinished'
  | 'stopped';

/** Faults that are no contradiction: the logs are of one run, of which something is missing. */
const INCOMPLETE: readonly MergeFaultKind[] = ['missing-shard', 'missing-case', 'unfinished', 'stopped'];

export const isIncomplete = ({ kind }: MergeFault): boolean => INCOMPLETE.includes(kind);

const SHOWN = 3;

/** `a, b, c and 4 more`. */
function listed(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return names.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Why logs are not the shards of one run, or not all of it. */
export function mergeFaults(parts: readonly Part[]): MergeFault[] {
  const copies = copiesIn(parts);
  const found = [...copies.faults, ...unlike(copies.others), ...otherSuites(copies.others), ...overlaps(copies.others)];
  const faults = found.length > 0 ? found : [...incomplete(copies.others)];
  return faults.map(({ kind, message }) => ({ kind, message: cleanLine(message) }));
}

/** Logs that begin alike are one log, copied while or after it was written. Further checks leave the copies out. */
function copiesIn(parts: readonly Part[]): { faults: MergeFault[]; others: Part[] } {
  const faults: MergeFault[] = [];
  const others = new Map<string, Part>();
  for (const part of parts) {
    const begin = JSON.stringify(part.header);
    const known = others.get(begin);
    const [old, full] = known && part.events.length < known.events.length ? [part, known] : [known, part];
    others.set(begin, full);
    if (!old) continue;
    if (old.events.length < full.events.length) {
      const message = `${old.name} is an earlier state of ${full.name}, before it was resumed or finished: leave ${old.name} out`;
      faults.push({ kind: 'earlier-copy', message });
    } else if (old.name === full.name) faults.push({ kind: 'twice', message: `${old.name} is given twice` });
    else faults.push({ kind: 'twice', message: `${full.name} is a copy of ${old.name}: leave one out` });
  }
  return { faults, others: [...others.values()] };
}

/** What must be the same in every shard. */
function* unlike(parts: readonly Part[]): Generator<MergeFault> {
  const compare = function* (kind: MergeFaultKind, what: string, of: (part: Part) => unknown): Generator<MergeFault> {
    const known = parts.filter((part) => of(part) !== undefined);
    for (const part of known.slice(1)) {
      const [a, b] = [known[0]!, part].map((one) => JSON.stringify(of(one)));
      if (a !== b) yield { kind, message: `${what}: ${known[0]!.name} has ${a}, ${part.name} has ${b}` };
    }
  };
  const alone = parts.filter(({ header }) => !header.shard);
  for (const { name } of alone) {
    yield { kind: 'whole-run', message: `${name} is not a shard: it is the log of a whole run, or of a merged one` };
  }
  yield* compare('other-count', 'number of shards', ({ header }) => header.shard?.count);
  yield* compare('other-tool', 'version of the tool', ({ header }) => header.tool.version);
  yield* compare('other-profile', 'profile', ({ header }) => header.profile);
  if (alone.length === 0) yield* compare('other-selection', 'selected cases', ({ header }) => header.shard?.selection);
  yield* compare('other-durations', 'file of durations (sha256)', ({ header: { shard } }) =>
    // Shards of older versions say nothing about it.
    shard?.selection ? (shard.durations?.sha256 ?? 'none') : undefined,
  );
  yield* compare('other-settings', 'accuracy profile', ({ header }) => header.numerics?.profile ?? 'standard');
  yield* compare('other-options', 'options', ({ header }) => header.options ?? {});
  for (const [option, name] of Object.entries(COMPARED_OPTIONS)) {
    const of = ({ header: { invocation } }: Part) => invocation && (invocation.options[name] ?? 'none');
    yield* compare('other-options', option, of);
  }
  for (const name of new Set(parts.flatMap(({ header }) => Object.keys(header.invocation?.settings ?? {})))) {
    if (COMPARED_ELSEWHERE.has(name)) continue;
    yield* compare('other-settings', SETTINGS[name] ?? name, ({ header: { invocation } }) =>
      invocation?.settings ? (invocation.settings[name] ?? 'none') : undefined,
    );
  }
  yield* compare('other-expectations', 'expectations files', ({ header }) =>
    (header.expectations?.files ?? []).map(({ sha256 }) => sha256),
  );
  yield* compare('other-plugin', 'plugins', ({ run }) =>
    // A run that was killed early has not recorded its plugin.
    run.plugins.length === 0 ? undefined : run.plugins.map(({ name, sha256 }) => [name, sha256]),
  );
  for (const [what, of] of Object.entries(MACHINE)) {
    yield* compare('other-machine', what, ({ run }) => run.plugins[0] && of(run.plugins[0]));
  }
}

/** Options that change results and have no effect elsewhere in the header. */
const COMPARED_OPTIONS = {
  '--as-api': 'asApi',
  '--binding': 'binding',
  '--repeat': 'repeat',
  '--rerun-failed': 'rerunFailed',
};

const SETTINGS: Readonly<Record<string, string>> = {
  createOptions: 'create options',
  compileOptions: 'compile options',
  declares: 'what the manifest declares',
  variables: 'environment variables of the manifest',
  knownDeviations: 'known deviations of the manifest (sha256)',
};

const COMPARED_ELSEWHERE = new Set(['numerics', 'expectations']);

/** What the plugin says about the machine. A shard whose plugin did not start, or that had no client, says nothing. */
const MACHINE: Readonly<Record<string, (plugin: PluginFacts) => unknown>> = {
  'API version of the plugin': ({ apiVersion }) => apiVersion && `${apiVersion.major}.${apiVersion.minor}`,
  'platform of the plugin': ({ platformName, platformVersion }) => platformName && [platformName, platformVersion],
  devices: ({ devices }) => devices?.map(({ kind }) => kind),
};

function* otherSuites(parts: readonly Part[]): Generator<MergeFault> {
  const first = new Map<string, { sha256: string; name: string }>();
  for (const { name, run } of parts) {
    for (const { suite, sha256 } of run.suites) {
      const known = first.get(suite) ?? { sha256, name };
      first.set(suite, known);
      const message = `suite ${suite}: ${known.name} and ${name} have different files`;
      if (known.sha256 !== sha256) yield { kind: 'other-suite', message };
    }
  }
}

function* overlaps(parts: readonly Part[]): Generator<MergeFault> {
  const shards = new Map<number, Part>();
  for (const part of parts) {
    const { shard } = part.header;
    const known = shard && shards.get(shard.index);
    if (known) {
      const message = `${known.name} and ${part.name} are both shard ${shard.index} of ${shard.count}, of runs that began at ${known.header.startedAt} and ${part.header.startedAt}`;
      yield { kind: 'same-shard', message };
    } else if (shard) shards.set(shard.index, part);
  }
  // Of two runs of a shard the cases are the same.
  const distinct = parts.filter((part) => !part.header.shard || shards.get(part.header.shard.index) === part);
  const owners = new Map<string, string>();
  const shared: { id: string; pair: string }[] = [];
  for (const { name, run } of distinct) {
    for (const id of run.cases.keys()) {
      const owner = owners.get(id);
      owners.set(id, owner ?? name);
      if (owner !== undefined) shared.push({ id, pair: `${owner} and in ${name}` });
    }
  }
  for (const [pair, cases] of groupedBy(shared, (one) => one.pair)) {
    const ids = listed(cases.map(({ id }) => id));
    const message = cases.length === 1 ? `case ${ids} is in ${pair}` : `${cases.length} cases: ${ids} are in ${pair}`;
    yield { kind: 'same-case', message };
  }
}

/** Shards and results that are not there. */
function* incomplete(parts: readonly Part[]): Generator<MergeFault> {
  const { shard: first } = parts[0]!.header;
  const count = first?.count ?? 0;
  const there = new Set(parts.map(({ header }) => header.shard?.index));
  const gone = Array.from({ length: count }, (_, i) => i + 1).filter((index) => !there.has(index));
  if (gone.length > 0) {
    const message = `the log of shard ${gone.join(', ')} of ${count} is missing: its cases are not in this report`;
    yield { kind: 'missing-shard', message };
  }
  for (const { name, run } of parts) {
    const open = [...run.cases.values()].flatMap(({ plan, result }) => (result ? [] : [plan.id]));
    if (run.footer && open.length === 0) continue;
    const without = `${open.length} of ${run.cases.size} cases have no result (${listed(open)})`;
    const why = run.footer
      ? `stopped early: ${without}`
      : `has no end: the run is unfinished${open.length > 0 ? `, ${without}` : ''}`;
    const message = `${name} ${why}; to resume it: pjrt-conformance run --resume ${name}`;
    yield { kind: run.footer ? 'stopped' : 'unfinished', message };
  }
  const selection = first?.selection;
  const ids = parts.flatMap(({ run }) => [...run.cases.keys()]);
  if (selection && gone.length === 0 && selectionDigest(ids) !== selection.sha256) {
    const message = `the logs have ${ids.length} cases, of ${selection.cases} that were selected, or others`;
    yield { kind: 'missing-case', message };
  }
}
