/** From sessions of a recording that fail on a plugin to the shortest one that fails in the same way. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { demandEmpty } from '../../base/demand-empty.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { makeDirectory } from '../../base/make-directory.ts';
import { scratchDirectory } from '../../base/scratch.ts';
import { type DeviceOptions, withDevices } from '../../host/devices/with-devices.ts';
import { callsOf } from '../../knowledge/trace/session-graph.ts';
import { traceReadme } from '../../knowledge/trace/trace-readme.ts';
import { writeSession } from '../../knowledge/trace/write-session.ts';
import type { AccuracyProfile } from '../../model/numeric-record.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { numericsOf, resolveAll } from '../../run/plugin/plugin-setup.ts';
import type { TimeoutOptions } from '../../run/plugin/timeouts.ts';
import { type PlacedSession, placedSessions, readable } from '../../suite/collections/trace-sessions.ts';
import { type Outcome, WRONG_DATA } from '../explore/outcome.ts';
import { fewestCalls } from './fewest-calls.ts';
import { SessionJudge } from './session-judge.ts';

/** Options of `reduce` for a recording. */
export interface ReduceTraceOptions extends TimeoutOptions, DeviceOptions {
  plugin: string;
  option?: string[];
  fetch: boolean;
  allowBuild?: boolean;
  /** Directory of the trace that is written; it must not exist yet, or be empty. */
  output: string;
  numerics?: AccuracyProfile;
  workers?: number;
}

/** What came of it. */
export interface ReducedTrace {
  /** Sessions that were played at first. */
  sessions: number;
  /** Of these, those that fail, with what they say. */
  failing: { session: string; message: string }[];
  /** Sessions of which nothing is known, or that cannot be reduced. */
  left: { session: string; reason: string }[];
  shortest?: {
    /** The session that it was made of. */
    session: string;
    /** What the session is called in the trace that was written. */
    name: string;
    before: { calls: number };
    after: { calls: number };
    /** Functions that it calls, by the first call, and how often. */
    functions: Record<string, number>;
    /** What it says on the plugin, and the kind of failure. */
    message: string;
    failure: string;
    /** Whether a program has given other results. */
    isWrongData: boolean;
  };
  directory: string;
  /** Sessions that were played in all. */
  tried: number;
}

/** What is being done. */
export interface TraceProgress {
  /** The calls of the shortest session so far; none while the whole ones are played. */
  calls?: number;
  tried: number;
}

type Failed = Outcome & { kind: 'failed' };

/**
 * Reduces the failing session of a recording that has the fewest calls.
 * @param place directory of a trace, its packed file, or a release of which the package has recordings
 * @throws UsageError, PluginError
 */
export async function reduceTrace(
  place: string,
  options: ReduceTraceOptions,
  environment: CommandEnvironment,
  progress: (progress: TraceProgress) => void,
): Promise<ReducedTrace> {
  const directory = resolve(environment.cwd, options.output);
  demandEmpty(directory, options.output, 'trace');
  const part = `${directory}.${process.pid}.part`;
  const sessions = await placedSessions(place, environment.cwd);
  const { plugin: spec, ...rest } = options;
  const plugins = (await resolveAll({ ...rest, plugin: [spec] }, environment)) as [ResolvedPlugin];
  const scratch = scratchDirectory('reduce');
  const judge = new SessionJudge({
    plugin: plugins[0],
    numerics: numericsOf(options, plugins).profile,
    workers: options.workers ?? 1,
    timeouts: options,
    environment,
    scratch,
  });
  const reduced: ReducedTrace = { sessions: sessions.length, failing: [], left: [], directory, tried: 0 };
  try {
    // Here, not after hours.
    makeDirectory(part);
    await withDevices(plugins, options, environment, async () => {
      progress({ tried: 0 });
      const failing = await failingOf(sessions, judge, reduced);
      const [chosen] = failing.sort((a, b) => a.placed.session.calls - b.placed.session.calls);
      if (chosen) await readable(() => reduceOne(chosen, part, judge, reduced, progress));
    });
    return { ...reduced, tried: judge.played };
  } finally {
    for (const one of [scratch, part]) rmSync(one, { recursive: true, force: true });
  }
}

/** Plays all sessions, as they are. */
async function failingOf(
  sessions: readonly PlacedSession[],
  judge: SessionJudge,
  reduced: ReducedTrace,
): Promise<{ placed: PlacedSession; outcome: Failed }[]> {
  const outcomes = await judge.outcomes(sessions.map(({ testCase }) => testCase));
  return sessions.flatMap((placed, i) => {
    const [outcome, session] = [outcomes[i]!, placed.name];
    if (outcome.kind === 'refused' || outcome.kind === 'none') reduced.left.push({ session, reason: outcome.reason });
    if (outcome.kind !== 'failed') return [];
    reduced.failing.push({ session, message: outcome.message });
    return [{ placed, outcome }];
  });
}

async function reduceOne(
  { placed, outcome: first }: { placed: PlacedSession; outcome: Failed },
  part: string,
  judge: SessionJudge,
  reduced: ReducedTrace,
  progress: (progress: TraceProgress) => void,
): Promise<void> {
  const calls = callsOf(placed.session);
  const isAlike = (outcome: Outcome): outcome is Failed =>
    outcome.kind === 'failed' && outcome.likeness === first.likeness;
  let least = calls.length;
  const orders = await fewestCalls(calls, async (parts) => {
    progress({ calls: least, tried: judge.played });
    const alike = (await judge.partsOf(placed, parts)).map(isAlike);
    for (const [i, part] of parts.entries()) if (alike[i]) least = Math.min(least, part.length);
    return alike;
  });
  const [outcome] = await judge.partsOf(placed, [orders]);
  if (!isAlike(outcome!)) {
    reduced.left.push({ session: placed.name, reason: 'it does not fail each time that it is played' });
    return;
  }
  // The trace is there as a whole, or not at all.
  writeSession(placed, orders, part);
  const { calls: of } = placed.session;
  writeFileSync(join(part, 'README.md'), traceReadme({ ...placed.trace.manifest, part: { calls: orders.length, of } }));
  renameSync(part, reduced.directory);
  const kept = new Set(orders);
  const functions: Record<string, number> = {};
  for (const { order, function: name } of calls) if (kept.has(order)) functions[name] = (functions[name] ?? 0) + 1;
  reduced.shortest = {
    session: placed.name,
    name: placed.session.process.name,
    before: { calls: calls.length },
    after: { calls: orders.length },
    functions,
    message: outcome.message,
    failure: outcome.likeness,
    isWrongData: outcome.likeness === WRONG_DATA,
  };
}
