import { introducedIn } from '../../harness/knowledge/abi/index.ts';
import { dtype } from '../../harness/knowledge/numerics/dtypes.ts';
import { PROFILES } from '../../harness/suite/profiles.ts';
import type { Case } from '../../harness/suite/types.ts';
import { definitionOf } from '../../harness/verdict/mustpass/definition.ts';
import type { ListedCase } from '../../harness/verdict/mustpass/list.ts';

/** Profiles that have lists. */
const LISTED_PROFILES = ['full', 'standard', 'smoke', 'no-device'] as const;

/** Tags of cases that are in no list, because their results depend on more than the plugin and its device. */
const NOT_LISTED: Readonly<Record<string, string>> = {
  python: 'needs Python libraries of the machine',
  distributed: 'needs a job of several processes',
  nodes: 'needs a job of several processes',
  'key-value': 'needs a job of several processes',
};

/** Whether a case is in the lists: a MUST that needs nothing but the plugin and its device. */
export const isListed = ({ level, tags, requires }: Case): boolean =>
  level === 'must' &&
  // What a manifest declares, and what else is loaded, is up to the submitter.
  requires.manifest === undefined &&
  requires.plugins === undefined &&
  !tags.some((tag) => tag in NOT_LISTED);

/** First minor of the C API that has what the preconditions of a case name. */
function sinceOf({ requires }: Case): number {
  return Math.max(
    0,
    requires.api ?? 0,
    ...(requires.functions ?? []).map(introducedIn),
    ...(requires.dtypes ?? []).map((name) => dtype(name).since),
  );
}

/** The facts about a case in cases.tsv. What requirements of the core ask for, every plugin offers. */
const listedCase = (testCase: Case): ListedCase => ({
  id: testCase.id,
  since: sinceOf(testCase),
  required: testCase.covers.some((id) => id.startsWith('CORE-')),
  definition: definitionOf(testCase),
});

/** The cases of every list, sorted by id. */
export function listsOf(cases: readonly Case[]): Record<string, ListedCase[]> {
  return Object.fromEntries(
    LISTED_PROFILES.map((name) => {
      const profile = PROFILES[name]!;
      const chosen = profile.choose?.(cases);
      const listed = cases.filter((one) => isListed(one) && profile.includes(one) && (chosen?.has(one.id) ?? true));
      return [name, listed.map(listedCase).sort((a, b) => (a.id < b.id ? -1 : 1))];
    }),
  );
}
