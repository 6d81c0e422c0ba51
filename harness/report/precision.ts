import type { AccuracyProfile, NumericRecord } from '../model/numeric-record.ts';
import type { Observation } from '../model/observation.ts';
import type { Run } from '../model/run.ts';
import type { Count, NonNegative, Positive } from '../model/values.ts';
import { isBeyond, NEEDS } from './numeric-summary.ts';

/** All comparisons of one operation and element type. @additionalProperties false */
export interface PrecisionRow {
  /** The operation by its name in StableHLO; of comparisons without one, the cases without their parameters. */
  op: string;
  dtype: string;
  comparisons: Positive;
  elements: Count;
  /** Elements without any deviation. */
  exact: Count;
  /** The largest deviation in ULP; null: an element has no distance (NaN, infinity, wrong sign). */
  maxUlp: NonNegative | null;
  /** Whether any comparison exceeds its bound. */
  beyond: boolean;
  /** The loosest accuracy profile that a comparison needs, if its bound depends on the profile. */
  meets?: AccuracyProfile | 'none';
  bounds?: NumericRecord['bounds'];
  /** The comparison with the largest deviation; missing if nothing deviates. */
  worst?: { case: string } & Pick<
    NumericRecord,
    | 'what'
    | 'allowedUlp'
    | 'index'
    | 'at'
    | 'expected'
    | 'expectedBits'
    | 'actual'
    | 'actualBits'
    | 'operands'
    | 'byOrder'
  >;
}

/** A behaviour, and the case that observed it. */
export interface ObservedRow extends Observation {
  case: string;
}

/** The group of a comparison: its operation, else its cases without parameters besides `op`. */
export function operationOf(id: string, { op }: NumericRecord): string {
  if (op !== undefined) return op;
  const at = id.indexOf('[');
  if (at === -1) return id;
  const named = /[[,](op=[^,\]]*)/.exec(id.slice(at))?.[1];
  return id.slice(0, at) + (named === undefined ? '' : `[${named}]`);
}

/** The deviation of a record: infinite if a mismatch has no distance. */
export const deviationOf = (record: NumericRecord): number =>
  (record.nanMismatches ?? 0) + (record.infinityMismatches ?? 0) + (record.signMismatches ?? 0) > 0
    ? Number.POSITIVE_INFINITY
    : (record.maxUlp ?? Number.POSITIVE_INFINITY);

/** Comparisons by operation and type, in alphabetical order. Records of logs before 1.6 do not have their type. */
export function precision({ cases }: Run): PrecisionRow[] {
  const found = new Map<string, { row: PrecisionRow; most: number }>();
  for (const [id, { result }] of cases) {
    for (const record of result?.numerics ?? []) {
      if (record.dtype === undefined) continue;
      const op = operationOf(id, record);
      const key = `${op} ${record.dtype}`;
      const known = found.get(key) ?? { row: emptyRow(op, record.dtype), most: -1 };
      found.set(key, known);
      add(known, id, record);
    }
  }
  return [...found.values()].map(({ row }) => row).sort((a, b) => order(a.op, b.op) || order(a.dtype, b.dtype));
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const emptyRow = (op: string, dtype: string): PrecisionRow => ({
  ...{ op, dtype, comparisons: 0, elements: 0, exact: 0, maxUlp: 0, beyond: false },
});

function add(known: { row: PrecisionRow; most: number }, id: string, record: NumericRecord): void {
  const { row } = known;
  row.comparisons++;
  row.elements += record.elements ?? 0;
  row.exact += record.exact ?? 0;
  row.beyond ||= isBeyond(record);
  const { meets, bounds } = record;
  if (meets !== undefined && NEEDS.indexOf(meets) > NEEDS.indexOf(row.meets ?? 'strict')) row.meets = meets;
  else if (meets !== undefined) row.meets ??= meets;
  if (bounds) row.bounds ??= bounds;
  const deviation = deviationOf(record);
  if (deviation <= known.most) return;
  known.most = deviation;
  row.maxUlp = Number.isFinite(deviation) ? deviation : null;
  if (deviation === 0 && !isBeyond(record)) return;
  const { what, allowedUlp, index, at, expected, expectedBits, actual, actualBits, operands, byOrder } = record;
  row.worst = {
    ...{ case: id, what, allowedUlp, index, expectedBits, actualBits },
    ...{ at, expected, actual, operands, byOrder },
  };
}

/** All observed behaviours, by name. */
export const observedRows = ({ cases }: Run): ObservedRow[] =>
  [...cases]
    .flatMap(([id, { result }]) => (result?.observed ?? []).map((observed) => ({ ...observed, case: id })))
    .sort((a, b) => order(a.behaviour, b.behaviour));

/** `2.5 ULP`, or that there is no distance. */
export const ulpText = (ulp: number | null): string =>
  ulp === null ? 'no distance' : `${Number.isInteger(ulp) ? ulp : ulp.toPrecision(3)} ULP`;

/** The worst element: `[3,7] of x = 0.5: 1.25 instead of 1.5`. */
export function worstText({ index, at, operands, actual, expected }: NonNullable<PrecisionRow['worst']>): string {
  const place = at ? `[${at.join(',')}]` : `[${index}]`;
  const inputs = operands ? ` of ${operands.map(({ value }) => value).join(', ')}` : '';
  return expected === undefined ? place : `${place}${inputs}: ${actual} instead of ${expected}`;
}
