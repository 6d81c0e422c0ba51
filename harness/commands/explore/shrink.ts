/** Makes a failing session shorter and plainer, as long as it fails in the same way: delta debugging over its moves. */
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
  let best = (await firstFailing(alone, actions.length, fails)) ?? actions;
  for (let parts = 2; best.length > 1; ) {
    const found = await firstFailing(without(best, parts).map(possible), best.length, fails);
    if (found) {
      best = found;
      parts = Math.max(2, parts - 1);
    } else if (parts >= best.length) break;
    else parts = Math.min(best.length, parts * 2);
  }
  return best;
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

async function firstFailing(
  candidates: readonly (readonly Action[])[],
  length: number,
  fails: Fails,
): Promise<readonly Action[] | undefined> {
  const shorter = [...new Map(candidates.map((one) => [one.map(({ id }) => id).join(), one])).values()]
    .filter((one) => one.length < length)
    .sort((a, b) => a.length - b.length);
  if (shorter.length === 0) return undefined;
  const failing = await fails(shorter);
  return shorter[failing.indexOf(true)];
}

/** The sequence without each of so many parts, and each part alone. */
function without(actions: readonly Action[], parts: number): (readonly Action[])[] {
  const bounds = Array.from({ length: parts + 1 }, (_, i) => Math.round((i * actions.length) / parts));
  return Array.from({ length: parts }, (_, i) => [bounds[i]!, bounds[i + 1]!] as const).flatMap(([from, to]) => [
    actions.slice(from, to),
    [...actions.slice(0, from), ...actions.slice(to)],
  ]);
}
