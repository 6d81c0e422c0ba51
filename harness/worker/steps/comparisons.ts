import type { Comparison } from '../../knowledge/numerics/compare.ts';
import type { ComparisonLine } from '../../model/call-recording.ts';
import { Observable } from '../ffi/observable.ts';
import { asItCame } from './looks-like.ts';

/** Arrays that are compared. */
export const comparisons = new Observable<[what: string, comparison: Comparison]>();

/** What a recording says of a comparison: the most that was allowed for any element. */
export function comparisonLine(
  what: string,
  { expected, actual, policy, options, ok }: Comparison,
): { line: Omit<ComparisonLine, 'k' | 'of'>; came: Uint8Array } {
  const most = (all: ArrayLike<number> | undefined, one = 0): number => (all ? Math.max(0, ...Array.from(all)) : one);
  const allowed = policy === 'bits' ? {} : policy;
  const { came, other } = asItCame(actual, expected);
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  const line = {
    what,
    dtype: expected.dtype.name,
    shape: [...expected.shape],
    expected: base64(other),
    actual: base64(came),
    ulp: most(options.bounds?.ulp, allowed.ulp),
    atol: most(options.bounds?.atol, allowed.atol),
    signedZeros: policy === 'bits' || policy.zero === 'signed',
    ok,
  };
  return { line, came };
}
