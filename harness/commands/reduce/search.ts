/** Searches the fewest operations of a program that fail as it does. */
import { shortest } from '../../base/delta-debugging.ts';
import { type Cut, closed, cutOf, type Edited, elementsOf, makersOf, withMakers } from './edited.ts';

/** Which programs fail as the whole one does; called with several at a time, since each call costs processes. */
export type Fails = (cuts: readonly Cut[]) => Promise<boolean[]>;

/** Programs that are tried together. */
const AT_ONCE = 64;

/** Operations that fail as all do, and none of which can be left out alone. */
export async function fewestOps(program: Edited, fails: Fails): Promise<readonly number[]> {
  const all = program.ops.map((_, op) => op);
  const needed = await neededOps(program, all, fails);
  const alone = await failingAlone(program, needed, fails);
  if (alone) return alone;
  return shortest(needed, {
    key: (op) => op,
    possible: (ops) => closed(program, ops),
    fails: (lists) => failing(program, lists, fails),
  });
}

/** What a single result needs, if the program fails with that alone: the fewest operations of all. */
async function neededOps(program: Edited, all: readonly number[], fails: Fails): Promise<readonly number[]> {
  const makers = makersOf(program);
  const slices = program.results.flatMap((value) => {
    const maker = makers.get(value);
    return maker === undefined ? [] : [withMakers(program, [maker])];
  });
  const smaller = slices.filter(({ length }) => length < all.length).sort((a, b) => a.length - b.length);
  const seen = await failing(program, smaller, fails);
  return smaller[seen.indexOf(true)] ?? all;
}

/** The simplest operation that fails alone, with what it takes as parameters. */
async function failingAlone(
  program: Edited,
  ops: readonly number[],
  fails: Fails,
): Promise<readonly number[] | undefined> {
  const alone = ops.map((op) => closed(program, [op]));
  const costOf = (list: readonly number[]): number =>
    1e9 * list.reduce((n, op) => n + program.ops[op]!.size, 0) + Math.min(1e9 - 1, elementsOf(program, list));
  for (let i = 0; i < alone.length; i += AT_ONCE) {
    const some = alone.slice(i, i + AT_ONCE);
    const seen = await failing(program, some, fails);
    const found = some.filter((_, k) => seen[k]).sort((a, b) => costOf(a) - costOf(b));
    if (found[0]) return found[0];
  }
  return undefined;
}

/** Which lists of operations fail. */
async function failing(program: Edited, lists: readonly (readonly number[])[], fails: Fails): Promise<boolean[]> {
  const cuts = lists.map((ops) => cutOf(program, ops));
  const possible = cuts.flatMap((cut) => cut ?? []);
  const seen = possible.length === 0 ? [] : await fails(possible);
  let next = 0;
  return cuts.map((cut) => cut !== undefined && seen[next++]!);
}
