import type { Chosen, Fault, Use } from '../types.ts';

/** The campaign of failing functions with the release that is nearest: below if there is one. */
export function nearestFault(chosen: Chosen, answer: Fault['answer'], use?: Use): Fault | undefined {
  const having = chosen.framework.faults.filter((f) => f.answer === answer);
  return nearest(chosen, having, use) ?? nearest(chosen, having);
}

/** What was measured with the release that is nearest, below if there is one, among those that use a function alike. */
export function nearest<T extends { release: string }>(
  { framework, release }: Chosen,
  measured: readonly T[],
  use?: Use,
): T | undefined {
  const order = framework.releases.map((r) => r.version);
  const at = (version: string): number => order.indexOf(version);
  const alike = measured.filter((m) => !use || (at(use.from) <= at(m.release) && at(m.release) <= at(use.to)));
  return alike.filter((m) => at(m.release) <= at(release.version)).at(-1) ?? alike[0];
}
