/** The accuracy profile that two arrays meet. */
import type { HostArray } from './array.ts';
import { PROFILES, type Profile } from './bounds.ts';
import { type CompareOptions, type Comparison, compareArrays, type Policy } from './compare.ts';

/** Comparison under a profile: its limits, and the operands if known. */
export interface Rules {
  policy: Policy | 'bits';
  options: CompareOptions;
}

/** Result under one profile, and the tightest profile that is met. */
export interface ProfiledComparison {
  comparison: Comparison;
  /** Missing if none is met. */
  meets?: Profile;
}

/** Compares under the profile in effect, then under tighter or looser ones to find the tightest that is met. */
export function compareByProfile(
  expected: HostArray,
  actual: HostArray,
  inForce: Profile,
  rules: (profile: Profile) => Rules,
): ProfiledComparison {
  const under = (profile: Profile): Comparison => {
    const { policy, options } = rules(profile);
    return compareArrays(expected, actual, policy, options);
  };
  const comparison = under(inForce);
  const at = PROFILES.indexOf(inForce);
  const others = comparison.ok ? PROFILES.slice(0, at) : PROFILES.slice(at + 1);
  const meets = others.find((profile) => under(profile).ok) ?? (comparison.ok ? inForce : undefined);
  return meets === undefined ? { comparison } : { comparison, meets };
}
