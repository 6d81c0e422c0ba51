import type { Chosen } from './spec.ts';
import type { PlatformGate } from './types.ts';

/** What a framework does not do on a platform that is missing from its list. */
export interface WithheldFeature {
  /** In a word or two: `donation`. */
  feature: string;
  /** What happens instead. */
  effect: string;
  /** The platforms on which it does. */
  names: string[];
  /** Where the list is. */
  source: string;
}

/** The lists of platforms of a release. */
export function gatesOf({ framework, release }: Chosen): PlatformGate[] {
  const order = framework.releases.map((r) => r.version);
  const at = order.indexOf(release.version);
  return framework.platforms.filter((gate) => order.indexOf(gate.from) <= at && at <= order.indexOf(gate.to));
}

/**
 * What a plugin cannot have from a release because of the name of its platform, whatever it implements: frameworks compare
 * that name with lists. Nothing is known without a name.
 */
export function withheldFeaturesOf(chosen: Chosen, platformName: string | undefined): WithheldFeature[] {
  if (platformName === undefined) return [];
  return gatesOf(chosen)
    .filter(({ names }) => !names.includes(platformName))
    .map(({ feature, otherwise, names, source }) => ({ feature, effect: otherwise, names, source }));
}
