import { groupedBy } from '../../harness/base/grouping.ts';
import { type Request, runCatalogue } from './campaign.ts';
import { casesById } from './plan.ts';
import { casesOf, inFull, knownCatch, type ProfileScore, profileScoreOf } from './profile-score.ts';
import { loadScore, templateOf } from './report.ts';
import type { Base } from './runs.ts';

/** Scores a profile on the faults that `full` detects; what the recorded result decides is not run again. */
export async function scoreProfile(profile: string, base: Base, request: Request): Promise<ProfileScore> {
  const all = [...casesById.values()];
  const cases = casesOf(profile, all);
  const within = new Set(cases.map(({ id }) => id));
  const families = groupedBy(all, ({ id }) => templateOf(id));
  const recorded = loadScore().faults;
  const detected = request.faults.filter(({ name }) => {
    const result = recorded[name];
    return result?.outcome === 'detected' && inFull(result, families);
  });
  const known = new Map(detected.map((fault) => [fault, knownCatch(fault, recorded[fault.name]!, within, families)]));
  const faults = detected.filter((fault) => known.get(fault) === undefined);
  const { records } = await runCatalogue(base, { ...request, faults, within });
  return profileScoreOf(
    base.name,
    cases,
    detected.map((fault) => {
      const record = records.get(fault.name);
      const by = known.get(fault) ?? (record?.outcome === 'detected' ? record.caughtBy : undefined);
      return [fault.name, by, recorded[fault.name]!.by!] as const;
    }),
  );
}
