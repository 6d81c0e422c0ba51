/** Plays parts of recorded sessions on the plugin, in the way of the command `replay`, and says which fail. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { CommandEnvironment } from '../../base/environment.ts';
import { writeSession } from '../../knowledge/trace/write-session.ts';
import type { AccuracyProfile } from '../../model/numeric-record.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { resultsOn } from '../../run/plugin/results-on.ts';
import type { TimeoutOptions } from '../../run/plugin/timeouts.ts';
import { type PlacedSession, placedSessions } from '../../suite/collections/trace-sessions.ts';
import type { Case } from '../../suite/types.ts';
import { type Outcome, outcomeOf } from '../explore/outcome.ts';

/** How sessions are played. */
export interface Stage {
  plugin: ResolvedPlugin;
  numerics: AccuracyProfile;
  workers: number;
  timeouts: TimeoutOptions;
  environment: Pick<CommandEnvironment, 'cwd' | 'env' | 'signal'>;
  /** Where parts are written; each has a directory of its own. */
  scratch: string;
}

/** Plays sessions, and parts of them. */
export class SessionJudge {
  readonly #stage: Stage;
  #parts = 0;
  /** Sessions that were played so far. */
  played = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** What becomes of sessions as they are. */
  async outcomes(cases: readonly Case[]): Promise<Outcome[]> {
    const { plugin, workers, timeouts, environment, numerics } = this.#stage;
    const outcomes = new Map<string, Outcome>();
    const how = { workers, binding: 'lazy', timeouts, environment, numerics } as const;
    const reason = await resultsOn(plugin, cases, how, (id, result) => void outcomes.set(id, outcomeOf(result)));
    environment.signal.throwIfAborted();
    this.played += cases.length;
    return cases.map(({ id }) => outcomes.get(id) ?? { kind: 'none', reason: `${plugin.name}: ${reason}` });
  }

  /** What becomes of parts of a session. @param parts orders of calls, of which there are some in each */
  async partsOf(session: PlacedSession, parts: readonly (readonly number[])[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let i = 0; i < parts.length; i += AT_ONCE)
      outcomes.push(...(await this.#played(session, parts.slice(i, i + AT_ONCE))));
    return outcomes;
  }

  async #played(session: PlacedSession, parts: readonly (readonly number[])[]): Promise<Outcome[]> {
    const { scratch, environment } = this.#stage;
    const cases: Case[] = [];
    const directories: string[] = [];
    for (const orders of parts) {
      // The user may want to stop it.
      await setImmediate();
      environment.signal.throwIfAborted();
      const directory = join(scratch, `part-${++this.#parts}`);
      directories.push(directory);
      writeSession(session, orders, directory);
      const [part] = await placedSessions(directory, environment.cwd);
      cases.push({ ...part!.testCase, id: `${session.testCase.id}:${this.#parts}` });
    }
    const outcomes = await this.outcomes(cases);
    for (const directory of directories) rmSync(directory, { recursive: true });
    return outcomes;
  }
}

/** Parts that are on disk at a time. */
const AT_ONCE = 16;
