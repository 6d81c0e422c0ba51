import type { AskedDeadlines } from '../host/deadlines.ts';
import { runPlan } from '../host/runner.ts';
import type { Event } from '../model/events.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import { applyEvent, emptyRun, type Note } from '../model/run.ts';
import type { ResolvedPlugin } from '../plugins/types.ts';
import type { Surroundings } from '../surroundings.ts';
import { explainLoad, startFacts, wirePlugin, workerEnv } from './plugin-setup.ts';
import { moreTimeForAll } from './timeouts.ts';

/** Waits for work while somebody is told what is going on. */
export type Wait = <T>(what: string, work: Promise<T>) => Promise<T>;

/** How to look at a plugin without running a case. */
export interface LookOptions {
  /** Whether a client is created. */
  clients: boolean;
  binding: 'now' | 'lazy';
  /** Whether messages say what may be behind them, and what to do. */
  explain: boolean;
  deadlines: AskedDeadlines;
}

/** What a worker process found out about a plugin. */
export interface Look {
  facts: PluginFacts;
  notes: Note[];
  /** How the first worker ended, when it did so by itself or was killed at a deadline. */
  death?: { signal?: string; exitCode?: number; killedFor?: string; call?: string };
}

const EXIT_MS = 2000;

/** Has a worker load the plugin and say what it is. Never throws because of a plugin. */
export async function look(
  plugin: ResolvedPlugin,
  options: LookOptions,
  around: Pick<Surroundings, 'env' | 'signal'>,
): Promise<Look> {
  const run = emptyRun();
  const exits: Extract<Event, { type: 'worker' }>[] = [];
  const { clients, binding, explain } = options;
  await runPlan(
    {
      cases: [],
      plugins: [wirePlugin(plugin)],
      facts: [startFacts(plugin)],
      env: workerEnv(around.env, [plugin]),
      binding,
      caller: {},
      clients,
      workers: 1,
      deadlines: { exit: EXIT_MS, ...options.deadlines },
      ...(explain ? { moreTime: moreTimeForAll } : {}),
      explainLoad: explain ? explainLoad : (_, { message }) => message,
      annotate: (_, result) => result,
      signal: around.signal,
    },
    (event) => {
      applyEvent(run, event);
      if (event.type === 'worker' && event.what === 'exit') exits.push(event);
    },
  );
  const facts = run.plugins[0] ?? startFacts(plugin);
  // A call that never came back; its process may have ended with code 0, as after an orderly end.
  const call = Object.entries(facts.answers ?? {}).find(([, a]) => a.includes('DEATH') || a.includes('HANG'))?.[0];
  const bad = exits.find((e) => e.signal !== undefined || e.note !== undefined || (e.exitCode ?? 0) !== 0);
  const died = bad ?? (call === undefined ? undefined : exits[0]);
  if (!died) return { facts, notes: run.notes };
  const { signal, exitCode, note } = died;
  return {
    facts,
    notes: run.notes,
    death: {
      ...(signal ? { signal } : {}),
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(note === undefined ? {} : { killedFor: note }),
      ...(call === undefined ? {} : { call }),
    },
  };
}
