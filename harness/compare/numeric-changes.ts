import type { NumericRecord } from '../model/numeric-record.ts';
import { type CaseRun, fileOf, statusOf } from '../model/run.ts';
import { cleanLine } from '../report/sanitize.ts';
import type { FoundChange } from './change.ts';
import type { UlpThresholds } from './policy.ts';
import type { Side, SideCase } from './side.ts';

/**
 * Distance of the results of a comparison from the exact ones in ULP, old and new. `null`: infinite, or a NaN, infinity or
 * sign mismatch that has no distance.
 */
interface UlpRecord {
  case: string;
  /** What was compared, e.g. `y`. */
  what: string;
  oldUlp: number | null;
  newUlp: number | null;
  allowedUlp: number | null;
  /** Whether it drifted beyond the policy's threshold. */
  drifted: boolean;
}

/** Totals for all cases of one operation (cases that differ only in parameters). */
interface UlpSummary {
  /** `numerics/unary:sine`. */
  operation: string;
  records: number;
  drifted: number;
  /** Largest deviation, old and new. */
  oldUlp: number | null;
  newUlp: number | null;
}

export interface NumericComparison {
  operations: UlpSummary[];
  /** Records that differ between the sides. */
  records: UlpRecord[];
}

/** Compares the deviations of cases that both sides have, whether they passed or not. */
export function compareNumerics(old: Side, now: Side, { ulp }: UlpThresholds): NumericComparison {
  const operations = new Map<string, UlpSummary>();
  const records: UlpRecord[] = [];
  for (const [id, after] of now.cases) {
    const before = old.cases.get(id);
    if (!before) continue;
    const [was, is] = [distances(before), distances(after)];
    for (const [what, { ulps, allowed }] of is) {
      const oldUlps = was.get(what)?.ulps;
      if (!oldUlps) continue;
      const [oldUlp, newUlp] = [Math.max(...oldUlps), Math.max(...ulps)];
      // Every new repeat must exceed every old one.
      const grown = Math.min(...ulps) - oldUlp;
      const drifted = Number.isNaN(grown) ? false : grown >= ulp;
      const operation = cleanLine(id.replace(/\[.*$/s, ''));
      const summary = operations.get(operation) ?? { operation, records: 0, drifted: 0, oldUlp: 0, newUlp: 0 };
      operations.set(operation, {
        operation,
        records: summary.records + 1,
        drifted: summary.drifted + (drifted ? 1 : 0),
        oldUlp: finite(Math.max(infinite(summary.oldUlp), oldUlp)),
        newUlp: finite(Math.max(infinite(summary.newUlp), newUlp)),
      });
      if (oldUlp === newUlp) continue;
      records.push({
        case: cleanLine(id),
        what: cleanLine(what),
        oldUlp: finite(oldUlp),
        newUlp: finite(newUlp),
        allowedUlp: finite(allowed),
        drifted,
      });
    }
  }
  return { operations: [...operations.values()], records };
}

/** Only drift within the bounds: beyond them, the case fails and is reported for that. */
export function* numericChanges(
  comparison: NumericComparison,
  now: Side,
  reproduce: (id: string) => string,
): Generator<FoundChange> {
  for (const { case: id, what, oldUlp, newUlp, allowedUlp, drifted } of comparison.records) {
    const item = now.cases.get(id)?.worst;
    if (!drifted || !item || !comparable(item)) continue;
    yield {
      kind: 'ulp-drift',
      subject: id,
      old: ulpText(oldUlp),
      new: ulpText(newUlp),
      message: `${what}: ${ulpText(newUlp)} from the exact result, was ${ulpText(oldUlp)}; allowed ${ulpText(allowedUlp)}`,
      place: cleanLine(`${fileOf(item)}:${item.plan.line}`),
      reproduce: reproduce(id),
    };
  }
}

const comparable = (item: CaseRun): boolean => statusOf(item) === 'pass' || statusOf(item) === 'warn';

/** By subject (numbered if a case has several with the same name): the deviation in every run, and the bound. */
function distances({ all }: SideCase): Map<string, { ulps: number[]; allowed: number }> {
  const found = new Map<string, { ulps: number[]; allowed: number }>();
  for (const { item } of all) {
    const seen = new Map<string, number>();
    for (const record of item.result?.numerics ?? ([] as NumericRecord[])) {
      const { what, maxUlp, allowedUlp } = record;
      const time = (seen.get(what) ?? 0) + 1;
      seen.set(what, time);
      const name = time === 1 ? what : `${what} (${time})`;
      const known = found.get(name) ?? { ulps: [], allowed: 0 };
      known.ulps.push(withoutDistance(record) ? Number.POSITIVE_INFINITY : infinite(maxUlp));
      known.allowed = infinite(allowedUlp);
      found.set(name, known);
    }
  }
  return found;
}

/** A NaN, infinity or sign mismatch has no distance. */
const withoutDistance = ({ nanMismatches, infinityMismatches, signMismatches }: NumericRecord): boolean =>
  (nanMismatches ?? 0) + (infinityMismatches ?? 0) + (signMismatches ?? 0) > 0;

/** JSON has no infinity: logs use `null`. */
const infinite = (ulp: number | null): number => ulp ?? Number.POSITIVE_INFINITY;
const finite = (ulp: number): number | null => (Number.isFinite(ulp) ? ulp : null);

const ulpText = (ulp: number | null): string =>
  ulp === null ? 'no distance (NaN, infinity or sign)' : `${Number.isInteger(ulp) ? ulp : ulp.toPrecision(3)} ULP`;
