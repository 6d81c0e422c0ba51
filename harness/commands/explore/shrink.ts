/** Makes a failing session shorter and plainer, as long as it fails in the same way: delta debugging over its moves. */
import { firstFailing, shortest } from '../../base/delta-debugging.ts';
import type { Action } from './move.ts';

/** Which of these sequences fail as the original does; called with several at a time, since each call costs a process. */
type Fails = (sequences: readonly (readonly Action[])[]) => Promise<boolean[]>;

/**
 * The shortest sequence found: no move of it can be left out alone, or be replaced by its plain form.
 * @param actions a sequence that fails @param possible leaves out what cannot be played without the rest
 * @param plainer the plain form of a move, which makes a thing of the same name
 */
export async function shrink(
  actions: readonly Action[],
  possible: (actions: readonly Action[]) => readonly Action[],
  plainer: (action: Action) => Action | undefined,
  fails: Fails,
): Promise<readonly Action[]> {
  const short = await shortened(actions, possible, fails);
  const plain = await madePlain(short, possible, plainer, fails);
  return plain === short ? short : await shortened(plain, possible, fails);
}

/** The sequence with plain forms of as many moves as possible, one after the other. */
async function madePlain(
  actions: readonly Action[],
  possible: (actions: readonly Action[]) => readonly Action[],
  plainer: (action: Action) => Action | undefined,
  fails: Fails,
): Promise<readonly Action[]> {
  let best = actions;
  for (const action of actions) {
    const plain = plainer(action);
    if (!plain || !best.includes(action)) continue;
    const candidate = possible(best.map((one) => (one === action ? plain : one)));
    if ((await fails([candidate]))[0]) best = candidate;
  }
  return best;
}

async function shortened(
  actions: readonly Action[],
  possible: (actions: readonly Action[]) => readonly Action[],
  fails: Fails,
): Promise<readonly Action[]> {
  // Most often it is one move, whatever was played before.
  const alone = actions.map((_, at) => possible(withMakers(actions, at)));
  const how = { key: ({ id }: Action) => id, possible, fails };
  const best = (await firstFailing(alone, actions.length, how)) ?? actions;
  return shortest(best, how);
}

/** A move, and those that made what it is about: names of what a move makes begin with its own. */
function withMakers(actions: readonly Action[], at: number): readonly Action[] {
  const kept = new Set([at]);
  for (const i of kept)
    for (const thing of Object.values(actions[i]!.things)) {
      const maker = actions.findIndex(
        ({ id }) => thing === id || (thing.startsWith(id) && !/\d/.test(thing[id.length]!)),
      );
      if (maker >= 0) kept.add(maker);
    }
  return actions.filter((_, i) => kept.has(i));
}
