/** Plays sessions on a plugin, in processes of its own. */
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { type Apart, resultsOn } from '../../run/plugin/results-on.ts';
import type { Requirements } from '../../suite/requirements.ts';
import { asCase } from './as-case.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Session } from './session.ts';

const SUITE = 'explore';

/** Plays sessions, in this order in each process. Never throws because of the plugin. */
export async function playOn(
  plugin: ResolvedPlugin,
  sessions: readonly Session[],
  requirements: Requirements,
  how: Apart,
): Promise<Outcome[]> {
  const outcomes: (Outcome | undefined)[] = sessions.map(() => undefined);
  const cases = sessions.map((session, i) => asCase(SUITE, `s${i}`, session, requirements));
  const numbers = new Map(cases.map(({ id }, i) => [id, i]));
  const reason = await resultsOn(plugin, cases, how, (id, result) => {
    outcomes[numbers.get(id)!] = outcomeOf(result);
  });
  return outcomes.map((outcome) => outcome ?? { kind: 'none', reason });
}
