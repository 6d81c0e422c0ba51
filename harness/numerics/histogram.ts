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

/** Counts one distance, or the reason why there is none. */
export function bump(histogram: Histogram, ulp: number | 'abs' | 'sign'): void {
  if (typeof ulp === 'string') histogram[ulp]++;
  else if (ulp === 0) histogram['0']++;
  else if (ulp === 1) histogram['1']++;
  else if (ulp <= 4) histogram['2-4']++;
  else if (ulp <= 16) histogram['5-16']++;
  else if (ulp < Number.POSITIVE_INFINITY) histogram['17+']++;
  else histogram['nan/inf']++;
}

/** `0:310  1:70  2-4:17`; empty buckets are left out. */
export const histogramText = (histogram: Histogram): string =>
  Object.entries(histogram)
    .filter(([, count]) => count > 0)
    .map(([bucket, count]) => `${bucket}:${count}`)
    .join('  ');
