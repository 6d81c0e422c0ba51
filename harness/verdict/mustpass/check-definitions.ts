import { UsageError } from '../../base/usage-error.ts';
import type { Case } from '../../suite/types.ts';
import { definitionsDigest, definitionsIn } from './definition.ts';
import type { MustpassList } from './list.ts';

/** Versions of the suites, of those that a list accepts, whose cases these are. */
export function suitesVersion({ release, profile, cases }: MustpassList, suites: readonly Case[]): string | undefined {
  const ids = cases.map(({ id }) => id);
  const digest = definitionsDigest(definitionsIn(suites, ids, release.renames));
  return release.definitions.findLast(({ sha256 }) => sha256[profile] === digest)?.suites;
}

/** Cases of a list whose definition in suites is not that of cases.tsv, or that are not there. */
export function changedCases({ release, cases }: MustpassList, suites: readonly Case[]): string[] {
  const ids = cases.map(({ id }) => id);
  const found = definitionsIn(suites, ids, release.renames);
  return cases.filter(({ id, definition }) => found.get(id) !== definition).map(({ id }) => id);
}

/** @throws UsageError if the cases of a list are not those that were frozen */
export function checkDefinitions(list: MustpassList, suites: readonly Case[]): void {
  if (suitesVersion(list, suites) !== undefined) return;
  const changed = changedCases(list, suites);
  const { version, definitions } = list.release;
  throw new UsageError(
    `--mustpass ${version}: ${changed.length} of its cases are not as they were frozen, such as ${changed[0]}; use an unchanged installation with suites ${definitions.map(({ suites: name }) => name).join(' or ')}`,
    { options: ['mustpass'] },
  );
}
