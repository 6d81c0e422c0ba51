import type { CommandEnvironment } from '../../base/environment.ts';
import type { AskedDeadlines } from '../../host/deadlines.ts';
import type { Event } from '../../model/events.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import type { PluginFacts } from '../../model/plugin-facts.ts';
import { applyEvent, emptyRun, type Note } from '../../model/run.ts';
import { explainLoad } from './load-hint.ts';
import { startFacts } from './plugin-setup.ts';
import { runAlone } from './run-alone.ts';
import { moreTimeForAll } from './timeouts.ts';

/** Awaits work while reporting what is being waited for. */
export type Wait = <T>(what: string, work: Promise<T>) => Promise<T>;

/** Options of an inspection. */
interface LoadOptions {
  /** Whether to create a client. */
  clients: boolean;
  binding: 'now' | 'lazy';
  /** Whether messages include likely causes and remedies. */
  explain: boolean;
  deadlines: AskedDeadlines;
}

/** A worker's facts about a plugin. */
export interface LoadResult {
  facts: PluginFacts;
  notes: Note[];
  /** How the first worker ended, if it ended by itself or was killed at a deadline. */
  death?: { signal?: string; exitCode?: number; killedFor?: string; call?: string };
}

const EXIT_MS = 2000;

/** Loads the plugin in a worker, which reports its facts. Never throws because of a plugin. */
export async function loadPlugin(
  plugin: ResolvedPlugin,
  options: LoadOptions,
  environment: Pick<CommandEnvironment, 'cwd' | 'env' | 'signal'>,
): Promise<LoadResult> {
  const run = emptyRun();
  const exits: Extract<Event, { type: 'worker' }>[] = [];
  const { clients, binding, explain } = options;
  const how: Parameters<typeof runAlone>[3] = {
    binding,
    clients,
    deadlines: { exit: EXIT_MS, ...options.deadlines },
    moreTime: explain ? moreTimeForAll : undefined,
    explainLoad: explain ? explainLoad : (_, { message }) => message,
  };
  await runAlone(plugin, [], environment, how, (event) => {
    applyEvent(run, event);
    if (event.type === 'worker' && event.what === 'exit') exits.push(event);
  });
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
    death: { ...(signal ? { signal } : {}), exitCode, killedFor: note, call },
  };
}
