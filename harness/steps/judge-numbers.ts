import type { NumericRecord } from '../model/numeric-record.ts';
import { bitsAt, type HostArray } from '../numerics/array.ts';
import type { Profile } from '../numerics/bounds.ts';
import { compareByProfile, type ProfiledComparison, type Rules } from '../numerics/by-profile.ts';
import { type Comparison, compareArrays } from '../numerics/compare.ts';
import { describe } from '../numerics/describe.ts';
import { formatBits } from '../numerics/format-value.ts';
import { POISON } from '../pjrt/buffer.ts';
import type { CaseContext } from './context.ts';
import { CheckFailure } from './outcome.ts';

/** What is compared, and how. */
export interface NumbersToJudge {
  what: string;
  expected: HostArray;
  actual: HostArray;
  /** By profile, or the same under each. */
  rules: Rules | ((profile: Profile) => Rules);
  /**
   * A result beyond the profile in force only warns, as long as a looser one allows it and the profile is the default. One
   * that the user or the manifest chose is a claim, and what no profile allows is wrong anyway.
   */
  warns?: boolean;
  /** How a failure begins; default `what`. */
  subject?: string;
}

/**
 * Compares what the plugin gave with what it should have given, and records the worst deviation also when it passes.
 * @throws CheckFailure with the table of differing elements
 */
export function judgeNumbers(context: CaseContext, judged: NumbersToJudge): void {
  const { what, subject = what, warns } = judged;
  const { profile, chosen } = context.numericsProfile;
  const { comparison, meets } = compared(judged, profile);
  if (comparison.policy !== 'bits' && comparison.structure === undefined) {
    context.numerics.push(
      recordOf(what, comparison, typeof judged.rules === 'function' ? (meets ?? 'none') : undefined),
    );
  }
  if (comparison.ok) return;
  const { message, detail } = mismatchText(subject, comparison);
  const hint = meets === undefined ? '' : `; the profile ${meets} allows it: --numerics ${meets}`;
  const finding = { type: 'pjrt.NumericMismatch', message: `${message}${hint}`, detail };
  if (!warns || chosen || meets === undefined) throw new CheckFailure(finding);
  context.report({ ...finding, level: 'should' });
}

/** How a comparison failed: a line for the message, and the table of differing elements. */
export function mismatchText(subject: string, comparison: Comparison): { message: string; detail: string } {
  const [first, ...rest] = describe(comparison).split('\n');
  return { message: `${subject}: ${first}`, detail: rest.join('\n') };
}

function compared({ expected, actual, rules }: NumbersToJudge, profile: Profile): ProfiledComparison {
  const poisoned = ({ policy, options }: Rules): Rules => ({ policy, options: { poison: POISON, ...options } });
  if (typeof rules === 'function') return compareByProfile(expected, actual, profile, (p) => poisoned(rules(p)));
  const { policy, options } = poisoned(rules);
  return { comparison: compareArrays(expected, actual, policy, options) };
}

/** The record of a comparison; `meets`: the tightest accuracy profile that allows the result, where profiles differ. */
export function recordOf(what: string, comparison: Comparison, meets: NumericRecord['meets']): NumericRecord {
  const { expected, actual, policy, options, maxUlp, maxUlpIndex, worst, without, total } = comparison;
  // A mismatch without a distance is worse than any that has one.
  const index = without.nan + without.infinity + without.sign > 0 ? worst[0]!.index : Math.max(0, maxUlpIndex);
  const bits = (array: HostArray): string => (total > 0 ? formatBits(array.dtype, bitsAt(array, index)) : '');
  return {
    what,
    maxUlp,
    allowedUlp: options.bounds?.ulp?.[Math.max(0, maxUlpIndex)] ?? (policy === 'bits' ? 0 : (policy.ulp ?? 0)),
    index,
    expectedBits: bits(expected),
    actualBits: bits(actual),
    elements: total,
    mismatches: comparison.countMismatch,
    ...(without.nan > 0 ? { nanMismatches: without.nan } : {}),
    ...(without.infinity > 0 ? { infinityMismatches: without.infinity } : {}),
    ...(without.sign > 0 ? { signMismatches: without.sign } : {}),
    ...(comparison.countAbsolute > 0 ? { withinAbsolute: comparison.countAbsolute } : {}),
    ...(meets === undefined ? {} : { meets }),
  };
}
