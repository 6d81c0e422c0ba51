import { isAmong } from './load.ts';
import type { Chosen, PlatformGate } from './types.ts';

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
export const gatesOf = (chosen: Chosen): PlatformGate[] =>
  chosen.framework.platforms.filter((gate) => isAmong(chosen, gate));

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
