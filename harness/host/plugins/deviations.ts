import type { Deviation, Manifest } from '../../model/plugin.ts';
import { caseMatcher, matchesCase } from '../../suite/case-glob.ts';

/** The first deviation of the plugin that explains a failure of this case. */
export const deviationFor = (
  manifest: Pick<Manifest, 'deviations'> | undefined,
  caseId: string,
): Deviation | undefined => manifest?.deviations.find(({ cases }) => matchesCase(cases, caseId));

/** Deviations that match no case: a suite was renamed, or the glob is wrong. */
export const idleDeviations = (
  manifest: Pick<Manifest, 'deviations'> | undefined,
  caseIds: readonly string[],
): Deviation[] => (manifest?.deviations ?? []).filter(({ cases }) => !caseIds.some(caseMatcher(cases)));
