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
  const found = [...copies.faults, ...unlike(copies.others), ...overlaps(copies.others)];
  const faults = found.length > 0 ? found : incomplete(copies.others);
  return faults.map(({ kind, message }) => ({ kind, message: cleanLine(message) }));
}

/** Logs that begin alike are one log, copied while or after it was written. Further checks leave the copies out. */
function copiesIn(parts: readonly Part[]): { faults: MergeFault[]; others: Part[] } {
  const faults: MergeFault[] = [];
  const others = new Map<string, Part>();
  for (const part of parts) {
    const begin = JSON.stringify(part.header);
    const known = others.get(begin);
    if (!known) {
      others.set(begin, part);
      continue;
    }
    const [old, full] = part.events.length < known.events.length ? [part, known] : [known, part];
    if (old.events.length === full.events.length) {
      const message =
        old.name === full.name
          ? `${old.name} is given twice`
          : `${part.name} is a copy of ${known.name}: leave one out`;
      faults.push({ kind: 'twice', message });
    } else {
      const message = `${old.name} is an earlier state of ${full.name}, before it was resumed or finished: leave ${old.name} out`;
      faults.push({ kind: 'earlier-copy', message });
    }
    others.set(begin, full);
  }
  return { faults, others: [...others.values()] };
}

/** What must be the same in every shard. */
function unlike(parts: readonly Part[]): MergeFault[] {
  const found: MergeFault[] = [];
  const compare = (kind: MergeFaultKind, what: string, of: (part: Part) => unknown): void => {
    const known = parts.filter((part) => of(part) !== undefined);
    for (const part of known.slice(1)) {
      const [a, b] = [known[0]!, part].map((one) => JSON.stringify(of(one)));
      if (a === b) continue;
      found.push({ kind, message: `${what}: ${known[0]!.name} has ${a}, ${part.name} has ${b}` });
    }
  };
  const alone = parts.filter(({ header }) => !header.shard);
  for (const { name } of alone) {
    found.push({
      kind: 'whole-run',
      message: `${name} is not a shard: it is the log of a whole run, or of a merged one`,
    });
  }
  compare('other-count', 'number of shards', ({ header }) => header.shard?.count);
  compare('other-tool', 'version of the tool', ({ header }) => header.tool.version);
  compare('other-profile', 'profile', ({ header }) => header.profile);
  if (alone.length === 0) compare('other-selection', 'selected cases', ({ header }) => header.shard?.selection);
  compare('other-durations', 'file of durations (sha256)', ({ header: { shard } }) =>
    // Shards of older versions say nothing about it.
    shard?.selection ? (shard.durations?.sha256 ?? 'none') : undefined,
  );
  compare('other-settings', 'accuracy profile', ({ header }) => header.numerics?.profile ?? 'standard');
  compare('other-options', 'options', ({ header }) => header.options ?? {});
  for (const [option, name] of Object.entries(COMPARED_OPTIONS)) {
    compare(
      'other-options',
      option,
      ({ header: { invocation } }) => invocation && (invocation.options[name] ?? 'none'),
    );
  }
  for (const name of new Set(parts.flatMap(({ header }) => Object.keys(header.invocation?.settings ?? {})))) {
    if (COMPARED_ELSEWHERE.has(name)) continue;
    compare('other-settings', SETTINGS[name] ?? name, ({ header: { invocation } }) =>
      invocation?.settings ? (invocation.settings[name] ?? 'none') : undefined,
    );
  }
  compare('other-expectations', 'expectations files', ({ header }) =>
    (header.expectations?.files ?? []).map(({ sha256 }) => sha256),
  );
  compare('other-plugin', 'plugins', ({ run }) =>
    // A run that was killed early has not recorded its plugin.
    run.plugins.length === 0 ? undefined : run.plugins.map(({ name, sha256 }) => [name, sha256]),
  );
  for (const [what, of] of Object.entries(MACHINE)) {
    compare('other-machine', what, ({ run }) => run.plugins[0] && of(run.plugins[0]));
  }
  return [...found, ...otherSuites(parts)];
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

function otherSuites(parts: readonly Part[]): MergeFault[] {
  const first = new Map<string, { sha256: string; name: string }>();
  const found: MergeFault[] = [];
  for (const { name, run } of parts) {
    for (const { suite, sha256 } of run.suites) {
      const known = first.get(suite);
      if (!known) first.set(suite, { sha256, name });
      else if (known.sha256 !== sha256) {
        found.push({ kind: 'other-suite', message: `suite ${suite}: ${known.name} and ${name} have different files` });
      }
    }
  }
  return found;
}

function overlaps(parts: readonly Part[]): MergeFault[] {
  const found: MergeFault[] = [];
  const shards = new Map<number, Part>();
  for (const part of parts) {
    const { shard } = part.header;
    const known = shard && shards.get(shard.index);
    if (known) {
      const message = `${known.name} and ${part.name} are both shard ${shard.index} of ${shard.count}, of runs that began at ${known.header.startedAt} and ${part.header.startedAt}`;
      found.push({ kind: 'same-shard', message });
    } else if (shard) shards.set(shard.index, part);
  }
  const owners = new Map<string, string>();
  const shared = new Map<string, string[]>();
  for (const part of parts) {
    const { name, run, header } = part;
    // Its cases are those of the other run of this shard.
    if (header.shard && shards.get(header.shard.index) !== part) continue;
    for (const id of run.cases.keys()) {
      const owner = owners.get(id);
      owners.set(id, owner ?? name);
      if (owner === undefined) continue;
      const pair = `${owner} and in ${name}`;
      shared.set(pair, [...(shared.get(pair) ?? []), id]);
    }
  }
  for (const [pair, ids] of shared) {
    found.push({
      kind: 'same-case',
      message: `${ids.length === 1 ? 'case' : `${ids.length} cases:`} ${listed(ids)} ${ids.length === 1 ? 'is' : 'are'} in ${pair}`,
    });
  }
  return found;
}

/** Shards and results that are not there. */
function incomplete(parts: readonly Part[]): MergeFault[] {
  const { shard: first } = parts[0]!.header;
  const count = first?.count ?? 0;
  const there = new Set(parts.map(({ header }) => header.shard?.index));
  const gone = Array.from({ length: count }, (_, i) => i + 1).filter((index) => !there.has(index));
  const found: MergeFault[] = [];
  if (gone.length > 0) {
    const message = `the log of shard ${gone.join(', ')} of ${count} is missing: its cases are not in this report`;
    found.push({ kind: 'missing-shard', message });
  }
  for (const { name, run } of parts) {
    const open = [...run.cases.values()].flatMap(({ plan, result }) => (result ? [] : [plan.id]));
    if (run.footer && open.length === 0) continue;
    const without = `${open.length} of ${run.cases.size} cases have no result (${listed(open)})`;
    const why = run.footer
      ? `stopped early: ${without}`
      : `has no end: the run is unfinished${open.length > 0 ? `, ${without}` : ''}`;
    found.push({
      kind: run.footer ? 'stopped' : 'unfinished',
      message: `${name} ${why}; to resume it: pjrt-conformance run --resume ${name}`,
    });
  }
  const selection = first?.selection;
  const ids = parts.flatMap(({ run }) => [...run.cases.keys()]);
  if (selection && gone.length === 0 && selectionDigest(ids) !== selection.sha256) {
    const message = `the logs have ${ids.length} cases, of ${selection.cases} that were selected, or others`;
    found.push({ kind: 'missing-case', message });
  }
  return found;
}
