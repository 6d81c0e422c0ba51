import { counted } from '../base/counted.ts';
import type { CaseResult } from '../model/case-result.ts';
import {
  ACCURACY_PROFILES,
  type AccuracyInEffect,
  type AccuracyProfile,
  type NumericRecord,
} from '../model/numeric-record.ts';
import type { Run } from '../model/run.ts';
import type { Count } from '../model/values.ts';

/** The accuracy profile in effect, and a summary of the numeric comparisons of all cases. @additionalProperties false */
export interface NumericSummary extends AccuracyInEffect {
  comparisons: Count;
  /** Comparisons without any deviation. */
  exact: Count;
  /** Comparisons beyond the bound. */
  beyond: Count;
  /** Of those whose bound depends on the profile: how many need which one. @additionalProperties false */
  needs: Record<AccuracyProfile | 'none', Count>;
  /** Elements without a distance. */
  nanMismatches: Count;
  infinityMismatches: Count;
  signMismatches: Count;
}

/** What a comparison may need, the strictest first. */
export const NEEDS = [...ACCURACY_PROFILES, 'none'] as const;

/** Beyond the bound. Logs before 1.4 have no counts of mismatches: there the distance decides. */
export const isBeyond = ({ mismatches, maxUlp, allowedUlp }: NumericRecord): boolean =>
  mismatches === undefined ? (maxUlp ?? Infinity) > (allowedUlp ?? Infinity) : mismatches > 0;

/** Without any deviation. */
export const isExact = (record: NumericRecord): boolean =>
  record.maxUlp === 0 && !isBeyond(record) && !record.withinAbsolute;

/** Undefined if the log does not have the profile in effect: then its records do not have the profile they need either. */
export function numericSummary({ header, cases }: Run): NumericSummary | undefined {
  if (!header?.numerics) return undefined;
  const records = [...cases.values()].flatMap(({ result }) => result?.numerics ?? []);
  const sum = (of: (record: NumericRecord) => number | undefined): number =>
    records.reduce((total, record) => total + (of(record) ?? 0), 0);
  const needs = NEEDS.map((meets) => [meets, records.filter((record) => record.meets === meets).length]);
  return {
    ...header.numerics,
    comparisons: records.length,
    exact: records.filter(isExact).length,
    beyond: records.filter(isBeyond).length,
    needs: Object.fromEntries(needs),
    nanMismatches: sum((r) => r.nanMismatches),
    infinityMismatches: sum((r) => r.infinityMismatches),
    signMismatches: sum((r) => r.signMismatches),
  };
}

/** `standard (chosen by --numerics)`. */
export function profileText({ profile, from }: AccuracyInEffect): string {
  const by = { default: 'the default', option: 'chosen by --numerics', manifest: "from the plugin's manifest" };
  return `${profile} (${by[from]})`;
}

/** The profile that the results meet, on one line. */
export function numericLine(summary: NumericSummary): string {
  const { profile, needs } = summary;
  const inForce = ACCURACY_PROFILES.indexOf(profile);
  const all = Object.values(needs).reduce((a, b) => a + b, 0);
  const looser = ACCURACY_PROFILES.slice(inForce + 1).filter((name) => needs[name] > 0);
  const beyond = [
    ...looser.map((name) => `${needs[name]} would need ${name}`),
    ...(needs.none > 0 ? [`${counted(needs.none, 'is', 'are')} outside every profile`] : []),
  ];
  const results = counted(all, 'result');
  const met = ACCURACY_PROFILES.findLast((name) => needs[name] > 0) ?? profile;
  const words =
    all === 0
      ? 'no result depends on it'
      : beyond.length > 0
        ? `not met: of ${results}, ${beyond.join(', ')}`
        : met === profile
          ? `met by ${all === 1 ? '' : 'all '}${results}`
          : `met by ${all === 1 ? `${results}, which meets` : `all ${results}, which meet`} ${met} too`;
  const odd = mismatchText(summary);
  return `profile ${profileText(summary)}, ${words}${odd === '' ? '' : `; ${odd}`}`;
}

/** `8 NaN mismatches, 1 sign mismatch`; empty when there are none. */
export function mismatchText({
  nanMismatches = 0,
  infinityMismatches = 0,
  signMismatches = 0,
}: Pick<NumericRecord, 'nanMismatches' | 'infinityMismatches' | 'signMismatches'>): string {
  return (
    [
      ['NaN', nanMismatches],
      ['infinity', infinityMismatches],
      ['sign', signMismatches],
    ] as const
  )
    .filter(([, count]) => count > 0)
    .map(([what, count]) => counted(count, `${what} mismatch`, `${what} mismatches`))
    .join(', ');
}

/** The profile that a case needs: the loosest that its comparisons need; undefined if none depends on a profile. */
export function needOf(result: CaseResult | undefined): AccuracyProfile | 'none' | undefined {
  return NEEDS.findLast((name) => result?.numerics?.some(({ meets }) => meets === name));
}
