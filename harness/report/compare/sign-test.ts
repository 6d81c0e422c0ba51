/**
 * Confidence that the median of the distribution behind values lies above a limit: 1 − p of the one-sided, exact sign test.
 * It assumes nothing about the distribution: one slow case counts as one, however slow it is.
 * @param above number of values above the limit
 * @param count number of all values
 */
export function signConfidence(above: number, count: number): number {
  // P(X ≥ above) for that many fair coin tosses, summed from the small end to avoid cancellation.
  let p = 0;
  for (let k = count; k >= above; k--) p += Math.exp(logChoose(count, k) - count * Math.LN2);
  return Math.max(0, 1 - p);
}

const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

const logFactorials: number[] = [0];

function logFactorial(n: number): number {
  for (let i = logFactorials.length; i <= n; i++) logFactorials.push(logFactorials[i - 1]! + Math.log(i));
  return logFactorials[n]!;
}

/** The median; NaN if there are no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return sorted.length === 0 ? Number.NaN : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
