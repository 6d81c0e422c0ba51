import { type MismatchNumbers, type NamedArray, SMALL_ARRAY, type UlpDistances } from '../../model/mismatch-numbers.ts';
import { elementCount, type HostArray } from './array.ts';
import { type Comparison, judgeElements } from './compare.ts';
import { hexBits } from './hex-bits.ts';

/** Elements up to which distances are counted, which costs another comparison. */
const COUNTED = 1 << 20;

/** Numbers of a comparison that failed; nothing if the arrays could not be compared. */
export function mismatchNumbers(comparison: Comparison): MismatchNumbers | undefined {
  const { expected, actual, policy, options, total, structure } = comparison;
  if (structure !== undefined || total === 0) return undefined;
  const dtype = expected.dtype.name;
  if (total > COUNTED) return { dtype };
  const distances: UlpDistances = { within: [], beyond: [] };
  const small = total <= SMALL_ARRAY;
  const [ulps, wrong]: [(number | null)[], number[]] = [[], []];
  judgeElements(expected, actual, policy, options, (index, kind, ulp, _, absolute) => {
    const finite = Number.isFinite(ulp);
    if (small) ulps.push(finite ? ulp : null);
    if (small && kind) wrong.push(index);
    if (absolute) distances.absolute = (distances.absolute ?? 0) + 1;
    else if (!finite) distances.noDistance = (distances.noDistance ?? 0) + 1;
    else count(kind ? distances.beyond : distances.within, binOf(ulp));
  });
  if (!small) return { dtype, distances };
  const { shape } = expected;
  return {
    dtype,
    distances,
    elements: { shape: [...shape], expected: hexBits(expected), actual: hexBits(actual), ulp: ulps, wrong },
  };
}

/** Bin of a distance ({@link UlpDistances}). */
const binOf = (ulp: number): number => (ulp === 0 ? 0 : Math.max(1, Math.ceil(Math.log2(ulp)) + 1));

function count(bins: number[], bin: number): void {
  while (bins.length <= bin) bins.push(0);
  bins[bin]!++;
}

/** An array for the log: its elements if it is small. */
export const namedArray = (name: string, array: HostArray): NamedArray => ({
  name,
  dtype: array.dtype.name,
  shape: [...array.shape],
  ...(elementCount(array.shape) <= SMALL_ARRAY ? { bits: hexBits(array) } : {}),
});
