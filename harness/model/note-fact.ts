import type { Count, Integer, Milliseconds } from './values.ts';

/** What reports show of a plugin besides its table, each of which is queried by itself. */
export const PLUGIN_PARTS = ['extensions', 'attributes', 'platform', 'devices', 'memories'] as const;

export type PluginPart = (typeof PLUGIN_PARTS)[number];

/**
 * What a note is about, for programs: nothing goes by its message.
 * output: the plugin wrote this while it was loaded or queried · query: a query of a part of the plugin failed · exit: a worker
 * did not end as it should after its clients had been destroyed, or (`clients`) while they were · idle: a worker died between
 * two cases · memory: the kernel killed a worker for want of memory · escaped: processes that the plugin had started outlived
 * their worker · max-failures: the run stopped after that many failures · budget: that many cases were
 * left out for want of time · harness: an internal error · changed: a file that the
 * run relies on did not stay as it was · lost: after a worker had died no client could be created any more, `back` when one could · reset: the
 * command that resets the devices has run · sanitizer: one has reported something of the plugin outside of cases · foreign: a variable or an option that lets code of others into the processes of the harness
 */
export type NoteFact =
  | { kind: 'output'; during: 'load' | PluginPart; stream: 'stdout' | 'stderr' }
  | { kind: 'query'; part: PluginPart; reason: string }
  | ({ kind: 'exit' | 'clients' } & BadEnd)
  | { kind: 'idle' }
  | { kind: 'memory' }
  | { kind: 'escaped'; processes: Count }
  | { kind: 'max-failures'; failures: Count }
  | { kind: 'budget'; cases: Count }
  | { kind: 'harness' }
  | { kind: 'changed'; path: string }
  | { kind: 'sanitizer'; tool: string; what: string }
  | { kind: 'foreign'; name: string }
  | { kind: 'lost'; worker: Count; case?: string; back?: true }
  | ({ kind: 'reset'; ms: Milliseconds } & BadEnd);

/** How a process ended: by a signal, by `exit`, or not before a deadline. */
export interface BadEnd {
  signal?: string;
  exitCode?: Integer;
  /** The deadline that it missed. */
  deadlineMs?: Milliseconds;
}
