/** Counts of distances in the buckets of failure texts. */

/**
 * Number of elements by bucket. `abs`: only within the absolute bound; `sign`: with different signs; `nan/inf`: without a
 * distance for another reason.
 */
export type Histogram = Record<'0' | '1' | '2-4' | '5-16' | '17+' | 'abs' | 'sign' | 'nan/inf', number>;

/** An empty histogram. */
export const emptyHistogram = (): Histogram => ({
  '0': 0,
  '1': 0,
  '2-4': 0,
  '5-16': 0,
  '17+': 0,
  abs: 0,
  sign: 0,
  'nan/inf': 0,
});

/** Counts elements of one distance, or with a reason why there is none. */
export function bump(histogram: Histogram, ulp: number | 'abs' | 'sign', elements = 1): void {
  histogram[bucketOf(ulp)] += elements;
}

function bucketOf(ulp: number | 'abs' | 'sign'): keyof Histogram {
  if (typeof ulp === 'string') return ulp;
  if (ulp === 0) return '0';
  if (ulp === 1) return '1';
  if (ulp <= 4) return '2-4';
  if (ulp <= 16) return '5-16';
  return ulp < Number.POSITIVE_INFINITY ? '17+' : 'nan/inf';
}

/** `0:310  1:70  2-4:17`; empty buckets are left out. */
export const histogramText = (histogram: Histogram): string =>
  Object.entries(histogram)
    .filter(([, count]) => count > 0)
    .map(([bucket, count]) => `${bucket}:${count}`)
    .join('  ');
