import type { HostArray } from './array.ts';
import { type CompareOptions, judgeElements, type Policy } from './compare.ts';
import { bump, emptyHistogram } from './histogram.ts';

/** What a comparison counts, by the rules alone, an element after the other: the oracle of its fast ways. */
export function byRules(expected: HostArray, actual: HostArray, policy: Policy, options: CompareOptions) {
  const seen = {
    histogram: emptyHistogram(),
    countAbsolute: 0,
    maxUlp: 0,
    maxUlpIndex: -1,
    countMismatch: 0,
    index: undefined as number | undefined,
  };
  judgeElements(expected, actual, policy, options, (index, kind, ulp, _, absolute) => {
    const sign = kind === 'sign' || kind === 'sign-of-zero';
    if (absolute) seen.countAbsolute++;
    bump(seen.histogram, sign ? 'sign' : absolute ? 'abs' : ulp);
    if (!absolute && ulp < Number.POSITIVE_INFINITY && (ulp > seen.maxUlp || seen.maxUlpIndex < 0)) {
      seen.maxUlp = ulp;
      seen.maxUlpIndex = index;
    }
    if (!kind) return;
    seen.countMismatch++;
    seen.index ??= index;
  });
  return seen;
}
