import { existsSync, readFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import { compilationsOfAll } from '../../harness/suite/compilations.ts';
import { PROFILES } from '../../harness/suite/profiles.ts';
import { isOptIn } from '../../harness/suite/standard.ts';
import type { Case } from '../../harness/suite/types.ts';
import { type Fault, RUN } from './catalogue.ts';
import { couldCatch } from './judge.ts';
import type { FaultResult } from './report.ts';

/** Which of the faults that the profile `full` detects the cases of a profile detect. */
export interface ProfileScore {
  /** The plugin that the faults are put into. */
  base: string;
  cases: number;
  compilations: number;
  /** Faults with the case of the profile, or the family, that detects each. */
  detected: Record<string, string>;
  /** Faults that only other cases detect, with one of these. */
  escaped: Record<string, string>;
}

/** By profile. */
export type ProfileScores = Record<string, ProfileScore>;

/** The results behind the tables of profiles in docs/mutation.md. */
export const PROFILES_FILE = packagePath('plugins', 'faults', 'profiles.json');

/** The stored results. */
export const loadProfileScores = (): ProfileScores =>
  existsSync(PROFILES_FILE) ? (JSON.parse(readFileSync(PROFILES_FILE, 'utf8')) as ProfileScores) : {};

/** The cases of a profile. */
export function casesOf(profile: string, all: readonly Case[]): Case[] {
  const { includes, choose } = PROFILES[profile]!;
  const chosen = choose?.(all);
  return all.filter((one) => includes(one) && (chosen?.has(one.id) ?? true));
}

/**
 * The case or family of a profile that detects a fault, as far as the result of all cases says: the case that detected it, or
 * a family that failed and of which the profile has every row.
 */
export function knownCatch(
  fault: Fault,
  { by, failing }: Pick<FaultResult, 'by' | 'failing'>,
  chosen: ReadonlySet<string>,
  families: ReadonlyMap<string, readonly Case[]>,
): string | undefined {
  if (by === RUN || (by !== undefined && chosen.has(by))) return by;
  return failing.find((family) =>
    families.get(family)?.every(({ id, covers }) => chosen.has(id) && couldCatch(fault, id, covers)),
  );
}

/** Whether cases detect a fault that need neither a profile of their own nor what a manifest must allow. */
export const inFull = (
  { by, failing }: Pick<FaultResult, 'by' | 'failing'>,
  families: ReadonlyMap<string, readonly Case[]>,
): boolean => by === RUN || failing.some((family) => !families.get(family)?.every(isOptIn));

/** The score of a profile, from what detects each fault; undefined: none of its cases does. */
export function profileScoreOf(
  base: string,
  cases: readonly Case[],
  found: Iterable<readonly [fault: string, by: string | undefined, elsewhere: string]>,
): ProfileScore {
  const score: ProfileScore = {
    base,
    cases: cases.length,
    compilations: compilationsOfAll(cases),
    detected: {},
    escaped: {},
  };
  for (const [fault, by, elsewhere] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (by === undefined) score.escaped[fault] = elsewhere;
    else score.detected[fault] = by;
  }
  return score;
}

/** The share of the faults that the profile `full` detects. */
export function profileLine(profile: string, { cases, compilations, detected, escaped }: ProfileScore): string {
  const found = Object.keys(detected).length;
  const all = found + Object.keys(escaped).length;
  const share = ((100 * found) / Math.max(1, all)).toFixed(1);
  return `${profile}: ${cases} cases, ${compilations} compilations; ${found} of ${all} faults that full detects, ${share} %`;
}
