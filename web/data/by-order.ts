import type { AccuracyProfile, NumericLimits, UlpByOrder } from '../../harness/model/numeric-record.ts';
import type { PrecisionRow } from '../../harness/report/precision.ts';

/** A bin of the plot, from left to right: the most negative operands first. */
export interface OrderBin {
  /** From its smallest magnitude to below its largest: `2^-8 to 2^-4`. */
  label: string;
  /** The power of two where it begins, with its sign; of zero `0`. */
  from: string;
  /** NaN: no element is in it, and it is there for the distance to the others. */
  ulp: number;
  /** What each profile allows at the largest magnitude. */
  allowed: Record<AccuracyProfile, number>;
}

const power = (sign: string, exponent: number): string => `${sign}2^${exponent}`;

// The magnitude may be infinite, and no growth of it is none.
const allowedAt = ({ ulp, growth }: NumericLimits, magnitude: number): number =>
  growth === undefined ? ulp : ulp + Math.floor(growth * magnitude);

/**
 * The bins, negative ones from the largest magnitude on, then zero, then positive ones. Where orders are left out, because no
 * element has them, there is an empty bin for the gap.
 */
export function orderBins(
  { orders, negative, positive, zero }: UlpByOrder,
  bounds: NonNullable<PrecisionRow['bounds']> | undefined,
): OrderBin[] {
  const distance = (ulp: number | null): number => (ulp === -1 ? Number.NaN : (ulp ?? Number.POSITIVE_INFINITY));
  const allowed = (magnitude: number): OrderBin['allowed'] => ({
    strict: bounds ? allowedAt(bounds.strict, magnitude) : Number.NaN,
    standard: bounds ? allowedAt(bounds.standard, magnitude) : Number.NaN,
    relaxed: bounds ? allowedAt(bounds.relaxed, magnitude) : Number.NaN,
  });
  const side = (ulps: readonly (number | null)[], sign: string): OrderBin[] =>
    ulps.some((ulp) => ulp !== -1)
      ? orders.flatMap(([first, last], at): OrderBin[] => {
          const before = orders[at - 1]?.[1] ?? first - 1;
          const label = `${power(sign, first)} to ${power(sign, last + 1)}`;
          const gap = { label: `before ${label}`, from: '…', ulp: Number.NaN, allowed: allowed(2 ** first) };
          const bin = { label, from: power(sign, first), ulp: distance(ulps[at]!), allowed: allowed(2 ** (last + 1)) };
          return before === first - 1 ? [bin] : [gap, bin];
        })
      : [];
  return [
    ...side(negative, '-').reverse(),
    ...(zero === undefined ? [] : [{ label: '0', from: '0', ulp: distance(zero), allowed: allowed(0) }]),
    ...side(positive, ''),
  ];
}
