import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { packagePath } from '../../harness/base/paths.ts';
import type { ProfileScores } from './profile-score.ts';
import { killsOf, type Score, templateOf } from './report.ts';

/** Why cases that detect no fault are kept. */
export const IDLE_FILE = packagePath('plugins', 'faults', 'idle-cases.yaml');

/** Why cases that no fault makes fail are kept. */
export interface IdleCase {
  /** Glob on cases without their parameters. */
  cases: string;
  reason: string;
}

/** The cases that no fault makes fail, with the reasons why they are kept. */
export const loadIdleCases = (): IdleCase[] => (parse(readFileSync(IDLE_FILE, 'utf8')) as IdleCase[] | null) ?? [];

/** Cases, each with all its parameters, that no recorded fault makes fail: neither with all cases nor with those of a profile. */
export function idleTemplates(templates: readonly string[], score: Score, profiles: ProfileScores): string[] {
  const kills = killsOf(score);
  const ofProfiles = new Set(
    Object.values(profiles).flatMap(({ detected }) => Object.values(detected).map(templateOf)),
  );
  return templates.filter((template) => !kills.get(template)?.length && !ofProfiles.has(template));
}
