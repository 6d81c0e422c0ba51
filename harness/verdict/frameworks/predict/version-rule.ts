import type { PluginView } from '../plugin-view.ts';
import type { Release } from '../types.ts';
import type { Trouble } from './trouble.ts';

/** Oldest minor that any framework's client accepts. */
export const FLOOR = 29;

/** What the release says of the plugin's API version, before anything else; undefined when it accepts it. */
export function versionRule(
  release: Release,
  { minor }: PluginView,
  compatible: boolean | undefined,
): Trouble | undefined {
  const exact = compatible === undefined ? release.rule === 'exact' : !compatible;
  const facts = [
    exact
      ? 'version rule: the minors must be equal (ENABLE_PJRT_COMPATIBILITY is not set to true)'
      : `version rule: major 0, minor at least ${FLOOR}, no upper limit`,
  ];
  if (exact && minor !== release.minor) {
    return {
      outcome: 'refuses',
      moment: 'client creation',
      reason: `it accepts minor ${release.minor} only; ENABLE_PJRT_COMPATIBILITY=true relaxes that`,
      message: `Mismatched PJRT plugin PJRT API version (0.${minor}) and framework PJRT API version 0.${release.minor}).`,
      facts,
    };
  }
  if (!exact && minor < FLOOR) {
    return {
      outcome: 'refuses',
      moment: 'client creation',
      reason: `API 0.${minor} is older than 0.${FLOOR}, the oldest that is accepted`,
      facts,
    };
  }
  return undefined;
}
