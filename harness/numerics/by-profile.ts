/** Which accuracy profile two arrays agree under. */
import type { HostArray } from './array.ts';
import { PROFILES, type Profile } from './bounds.ts';
import { type CompareOptions, type Comparison, compareArrays, type Policy } from './compare.ts';

/** How a profile compares: its limits, and what is known of the operands. */
export interface Rules {
  policy: Policy | 'bits';
  options: CompareOptions;
}

/** A comparison under one profile, and the tightest profile under which it would agree. */
export interface ProfiledComparison {
  comparison: Comparison;
  /** Missing: it agrees under none. */
  meets?: Profile;
}

/** Compares under the profile in force, then under those tighter or looser that decide which one is met. */
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
