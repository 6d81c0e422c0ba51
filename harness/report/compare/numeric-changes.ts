import { cleanLine } from '../../base/sanitize.ts';
import type { NumericRecord } from '../../model/numeric-record.ts';
import { type CaseRun, statusOf } from '../../model/run.ts';
import { placeOf, reproduceCommand } from '../failure-text.ts';
import { deviationOf, operationOf, ulpText as ulpsText } from '../precision.ts';
import type { FoundChange } from './change.ts';
import type { Thresholds } from './policy.ts';
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

/** Totals for all comparisons of one operation and element type. */
export interface UlpSummary {
  /** `sine f32`; of comparisons without an operation, or of older logs, the cases without parameters. */
  operation: string;
  records: number;
  drifted: number;
  /** Largest deviation, old and new. */
  oldUlp: number | null;
  newUlp: number | null;
  /** Elements without any deviation, if both logs have them. */
  oldExact?: number;
  newExact?: number;
}

export interface NumericComparison {
  operations: UlpSummary[];
  /** Records that differ between the sides. */
  records: UlpRecord[];
}

/** Compares the deviations of cases that both sides have, whether they passed or not. */
export function compareNumerics(old: Side, now: Side, thresholds: Thresholds['ulp-drift']): NumericComparison {
  const operations = new Map<string, UlpSummary>();
  const records: UlpRecord[] = [];
  for (const [id, after] of now.cases) {
    const before = old.cases.get(id);
    if (!before) continue;
    const [was, is] = [distances(before), distances(after)];
    for (const [what, { ulps, allowed, record, exact }] of is) {
      const known = was.get(what);
      if (!known) continue;
      const oldUlps = known.ulps;
      const [oldUlp, newUlp] = [Math.max(...oldUlps), Math.max(...ulps)];
      // Every new repeat must exceed every old one.
      const grown = Math.min(...ulps) - oldUlp;
      const drifted = Number.isNaN(grown) ? false : grown >= thresholdOf(record, thresholds);
      const operation = cleanLine(operationName(id, record));
      const summary = operations.get(operation) ?? { operation, records: 0, drifted: 0, oldUlp: 0, newUlp: 0 };
      const counted = exact !== undefined && known.exact !== undefined;
      operations.set(operation, {
        operation,
        records: summary.records + 1,
        drifted: summary.drifted + (drifted ? 1 : 0),
        oldUlp: finite(Math.max(infinite(summary.oldUlp), oldUlp)),
        newUlp: finite(Math.max(infinite(summary.newUlp), newUlp)),
        ...(counted
          ? { oldExact: (summary.oldExact ?? 0) + known.exact!, newExact: (summary.newExact ?? 0) + exact! }
          : {}),
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
export function* numericChanges(comparison: NumericComparison, now: Side): Generator<FoundChange> {
  for (const { case: id, what, oldUlp, newUlp, allowedUlp, drifted } of comparison.records) {
    const item = now.cases.get(id)?.worst;
    if (!drifted || !item || !comparable(item)) continue;
    yield {
      kind: 'ulp-drift',
      subject: id,
      old: ulpText(oldUlp),
      new: ulpText(newUlp),
      message: `${what}: ${ulpText(newUlp)} from the exact result, was ${ulpText(oldUlp)}; allowed ${ulpText(allowedUlp)}`,
      place: placeOf(item),
      reproduce: reproduceCommand(now.first, id),
    };
  }
}

const comparable = (item: CaseRun): boolean => statusOf(item) === 'pass' || statusOf(item) === 'warn';

/** The operation and its type; logs before 1.6 do not have them. */
const operationName = (id: string, record: NumericRecord): string =>
  record.dtype === undefined ? id.replace(/\[.*$/s, '') : `${operationOf(id, record)} ${record.dtype}`;

/** The threshold of the operation and its type, of the operation, or of all. */
const thresholdOf = ({ op, dtype }: NumericRecord, { ulp, operations = {} }: Thresholds['ulp-drift']): number =>
  operations[`${op} ${dtype}`] ?? operations[op ?? ''] ?? ulp;

/** A comparison on one side: the deviation in every run, the bound, and the elements that are exact in the worst run. */
interface Distances {
  ulps: number[];
  allowed: number;
  record: NumericRecord;
  exact?: number | undefined;
}

/** By subject (numbered if a case has several with the same name). */
function distances({ all }: SideCase): Map<string, Distances> {
  const found = new Map<string, Distances>();
  for (const { item } of all) {
    const seen = new Map<string, number>();
    for (const record of item.result?.numerics ?? ([] as NumericRecord[])) {
      const { what, allowedUlp } = record;
      const time = (seen.get(what) ?? 0) + 1;
      seen.set(what, time);
      const name = time === 1 ? what : `${what} (${time})`;
      const known = found.get(name) ?? { ulps: [], allowed: 0, record, exact: record.exact };
      known.ulps.push(deviationOf(record));
      known.allowed = infinite(allowedUlp);
      if (record.exact !== undefined) known.exact = Math.min(known.exact ?? record.exact, record.exact);
      found.set(name, known);
    }
  }
  return found;
}

/** JSON has no infinity: logs use `null`. */
const infinite = (ulp: number | null): number => ulp ?? Number.POSITIVE_INFINITY;
const finite = (ulp: number): number | null => (Number.isFinite(ulp) ? ulp : null);

/** Operations whose largest deviation or number of exact elements changed: those that grew first. */
export const movedOperations = ({ operations }: NumericComparison): UlpSummary[] =>
  operations
    .filter(({ oldUlp, newUlp, oldExact, newExact }) => oldUlp !== newUlp || oldExact !== newExact)
    .sort((a, b) => growthOf(b) - growthOf(a));

function growthOf({ oldUlp, newUlp }: UlpSummary): number {
  const [was, is] = [infinite(oldUlp), infinite(newUlp)];
  return was === is ? 0 : is - was;
}

/** `sine f32 1 → 3 ULP (exact 200 → 180)`. */
export function operationText({ operation, oldUlp, newUlp, oldExact, newExact }: UlpSummary): string {
  const ulps = oldUlp === newUlp ? ulpText(newUlp) : `${ulpText(oldUlp).replace(/ ULP$/, '')} → ${ulpText(newUlp)}`;
  return oldExact === newExact ? `${operation} ${ulps}` : `${operation} ${ulps} (exact ${oldExact} → ${newExact})`;
}

const ulpText = (ulp: number | null): string => (ulp === null ? 'no distance (NaN, infinity or sign)' : ulpsText(ulp));
