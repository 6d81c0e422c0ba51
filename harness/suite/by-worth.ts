import { dataIn } from '../base/paths.ts';
import { compilationsOf } from './compilations.ts';
import { standardCases } from './standard.ts';
import type { Case } from './types.ts';
import type {} from './worth.generated.json'; // makes the compiler copy the file beside this module

/** Seconds on a plugin that compiles on a CPU. */
export const COSTS = { case: 0.02, compilation: 0.1, process: 0.5 };

/** Each part of a run costs about as much as all parts before it: the more there is time for, the less often workers change. */
const PARTS = 7;

/**
 * The part of a run in which each case belongs if there may not be time for all, counted from 0: those first that detect the most
 * per second. Of each family those that the profile `standard` has come first; a matrix shows little that these do not show.
 * Cases that are not of the package, of which nothing is known, come before all others.
 */
export function partsByWorth(cases: readonly Case[]): ReadonlyMap<string, number> {
  const rank = new Map(dataIn<string[]>('suite/worth.generated.json').map((family, i) => [family, i]));
  const standard = standardCases(cases);
  const place = (one: Case): number => {
    const ofFamily = rank.get(`${one.suite}:${one.name}`);
    if (ofFamily === undefined) return -1;
    return standard.has(one.id) ? ofFamily : rank.size + ofFamily;
  };
  const places = new Map(cases.map((one) => [one, place(one)]));
  const sorted = cases.toSorted((a, b) => places.get(a)! - places.get(b)!);
  const total = sorted.reduce((sum, one) => sum + costOf(one), 0);
  const parts = new Map<string, number>();
  let spent = 0;
  for (const one of sorted) {
    const doubled = Math.ceil(Math.log2(Math.max(spent / total, 2 ** -PARTS)) + PARTS);
    parts.set(one.id, Math.min(doubled, PARTS));
    spent += costOf(one);
  }
  return parts;
}

function costOf(one: Case): number {
  const { own, shared } = compilationsOf(one);
  return COSTS.case + (own + shared.length / 2) * COSTS.compilation + (one.isolation === 'process' ? COSTS.process : 0);
}
