/** What an exploration knows: everything that is needed to resume, and to report. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../base/usage-error.ts';
import type { WrittenCoverage } from './coverage.ts';
import type { Action } from './move.ts';

/** Sessions that fail in one way. */
export interface Finding {
  /** `SEED-NUMBER` of the first session. */
  id: string;
  /** Of the first session, and of the shortest sequence. */
  signatures: readonly string[];
  message: string;
  level: 'must' | 'should';
  requirements: readonly string[];
  /** The shortest sequence found. */
  actions: readonly Action[];
  /** Calls of it, without those that ask and those that end. */
  calls: number;
  suite: string;
  /** How many sessions, and the numbers of the first ones. */
  count: number;
  sessions: number[];
  /** Milliseconds of the exploration after which it was found. */
  afterMs: number;
  /** The deviation of the plugin's manifest that explains it. */
  known?: string;
}

/** A move that is not played any more. */
export interface Avoided {
  /** The move, the move in a state of things, or the arrays that it needs. */
  what: string;
  why: 'refused' | 'waits' | 'found';
  reason: string;
}

export interface State {
  version: 2;
  seed: number;
  shard: string;
  job?: string;
  devices: number;
  threads: number;
  plugin: { name: string; sha256: string };
  /** The number of the next session. */
  next: number;
  /** Sessions in which everything was right, and moves of all sessions. */
  right: number;
  moves: number;
  avoided: Avoided[];
  findings: Finding[];
  coverage: WrittenCoverage;
  elapsedMs: number;
}

export const stateFile = (directory: string): string => join(directory, 'state.json');

/** What must be the same when an exploration is resumed. */
const SETTINGS: Readonly<Record<string, (state: State) => string | number>> = {
  version: ({ version }) => version,
  seed: ({ seed }) => seed,
  shard: ({ shard }) => shard,
  devices: ({ devices }) => devices,
  threads: ({ threads }) => threads,
  plugin: ({ plugin }) => `${plugin.name} ${plugin.sha256}`,
};

/** The state of a directory, or the fresh one. @throws UsageError if there is one that must not be overwritten, or is another's */
export function loadState(directory: string, fresh: State, resume: boolean): State {
  const file = stateFile(directory);
  if (!existsSync(file)) {
    if (resume) throw new UsageError(`--resume: there is no ${file}`, { options: ['resume'] });
    return fresh;
  }
  let state: State;
  try {
    state = JSON.parse(readFileSync(file, 'utf8')) as State;
  } catch {
    throw new UsageError(`${file} is not the state of an exploration\n--output names another directory`, {
      options: ['output'],
    });
  }
  const isOwn = fresh.job !== undefined && state.job === fresh.job;
  if (!resume && !isOwn) {
    throw new UsageError(
      `${file} is the state of an exploration\n--resume resumes it; --output names another directory`,
      {
        options: ['output'],
      },
    );
  }
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const [then, now] = [setting(state), setting(fresh)];
    if (then !== now) throw new UsageError(`--resume: the exploration has ${name} ${then}, now ${now}`);
  }
  return state;
}
