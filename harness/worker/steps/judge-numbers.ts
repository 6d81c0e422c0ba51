import { bitsAt, elementCount, type HostArray, indexOf } from '../../knowledge/numerics/array.ts';
import { bound, PROFILES, type Profile } from '../../knowledge/numerics/bounds.ts';
import { ulpByOrder } from '../../knowledge/numerics/by-order.ts';
import { compareByProfile, type ProfiledComparison, type Rules } from '../../knowledge/numerics/by-profile.ts';
import { type Comparison, compareArrays } from '../../knowledge/numerics/compare.ts';
import { describe } from '../../knowledge/numerics/describe.ts';
import { formatBits, formatDecimal } from '../../knowledge/numerics/format-value.ts';
import { mismatchNumbers, namedArray } from '../../knowledge/numerics/mismatch-numbers.ts';
import type { Finding } from '../../model/finding.ts';
import { DEFECTS } from '../../model/looks-like.ts';
import type { NamedArray } from '../../model/mismatch-numbers.ts';
import type { NumericLimits, NumericRecord } from '../../model/numeric-record.ts';
import { memberPrefix } from '../../suite/member-names.ts';
import { POISON } from '../pjrt/buffer.ts';
import { comparisons } from './comparisons.ts';
import type { CaseContext } from './context.ts';
import { looksLike } from './looks-like.ts';
import { blamed, type Origin, originText } from './origin.ts';
import { CheckFailure } from './outcome.ts';

/** An operation, with its operands if each element of the result depends on those at its place. */
export interface Operation {
  name: string;
  operands?: readonly HostArray[];
}

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
  /** The calls whose doing the array is. */
  origins?: readonly Origin[];
  /** The operation that the array should be the result of. */
  operation?: Operation | undefined;
  /** The operation whose bound the rules are. */
  op?: string | undefined;
}

/**
 * Compares what the plugin gave with what it should have given, and records the worst deviation also when it passes.
 * @throws CheckFailure with the table of differing elements
 */
export function judgeNumbers(context: CaseContext, judged: NumbersToJudge): void {
  const { what, warns } = judged;
  const { profile, chosen } = context.numericsProfile;
  const { comparison, meets } = compared(judged, profile);
  if (comparison.policy !== 'bits' && comparison.structure === undefined) {
    context.numerics.push(
      recordOf(what, comparison, typeof judged.rules === 'function' ? (meets ?? 'none') : undefined, judged.op),
    );
  }
  if (comparison.ok) {
    comparisons.report(what, comparison);
    return;
  }
  const instead = looksLike(judged.expected, judged.actual);
  const defect = instead && DEFECTS[instead.kind];
  // A transfer is wrong whatever the case does with the array; what a program computes, the case knows best.
  const ofTransfer = defect && !defect.ofPrograms ? defect : undefined;
  const origins = ofTransfer ? [{ call: ofTransfer.call, text: ofTransfer.call }] : (judged.origins ?? []);
  const text = [judged.op ?? judged.operation?.name, originText(origins)].filter(Boolean).join(', ');
  const { subject = text === '' ? what : `${what} (${text})` } = judged;
  const { message, ...more } = withInputs(mismatchText(subject, comparison), inputsOf(context, comparison));
  const hint = meets === undefined ? '' : `; the profile ${meets} allows it: --numerics ${meets}`;
  const finding = {
    type: 'pjrt.NumericMismatch',
    message: `${message}${defect ? `; ${defect.text}` : ''}${hint}`,
    ...blamed(origins),
    ...more,
    ...(instead && { looksLike: instead }),
    ...(ofTransfer && { requirements: [ofTransfer.requirement] }),
  };
  if (!warns || chosen || meets === undefined) throw new CheckFailure(finding);
  context.report({ ...finding, level: 'should' });
}

type MismatchText = Pick<Finding, 'message' | 'where' | 'numbers' | 'otherForm'> & { detail: string };

/** How a comparison failed: a line for the message, the table of differing elements, where they are, and the numbers. */
export function mismatchText(subject: string, comparison: Comparison): MismatchText {
  comparisons.report(subject, comparison);
  const [first, ...rest] = describe(comparison).split('\n');
  const { places } = comparison;
  const numbers = mismatchNumbers(comparison);
  const form = comparison.structure === undefined ? {} : { otherForm: true as const };
  return { message: `${subject}: ${first}`, detail: rest.join('\n'), where: places, numbers, ...form };
}

/** Number of other arrays in a finding. */
const INPUTS = 8;

/** Adds other arrays of the case, the first few of them. */
export const withInputs = (finding: MismatchText, inputs: readonly NamedArray[]): MismatchText =>
  finding.numbers && inputs.length > 0
    ? { ...finding, numbers: { ...finding.numbers, inputs: inputs.slice(0, INPUTS) } }
    : finding;

/** The arrays that the case has bound besides the compared ones; of cases that run together, those of the same one. */
function inputsOf(context: CaseContext, { expected, actual }: Comparison): NamedArray[] {
  const arrays = context.hostArrays();
  const member = memberPrefix(arrays.find(([, array]) => array === actual)?.[0] ?? '');
  return arrays
    .filter(([name, array]) => name.startsWith(member) && array !== expected && array !== actual)
    .map(([name, array]) => namedArray(name.slice(member.length), array));
}

/** Rules that know what memory holds that was never written. */
export const poisoned =
  (rules: (profile: Profile) => Rules) =>
  (profile: Profile): Rules => {
    const { policy, options } = rules(profile);
    return { policy, options: { poison: POISON, ...options } };
  };

function compared({ expected, actual, rules, operation }: NumbersToJudge, profile: Profile): ProfiledComparison {
  const shown = operation?.operands ? { inputs: operation.operands } : {};
  const under = poisoned((one) => {
    const { policy, options } = typeof rules === 'function' ? rules(one) : rules;
    return { policy, options: { ...shown, ...options } };
  });
  if (typeof rules === 'function') return compareByProfile(expected, actual, profile, under);
  const { policy, options } = under(profile);
  return { comparison: compareArrays(expected, actual, policy, options) };
}

/**
 * The record of a comparison.
 * @param meets the tightest accuracy profile that allows the result, where profiles differ
 * @param op the operation whose bound applies
 */
export function recordOf(
  what: string,
  comparison: Comparison,
  meets: NumericRecord['meets'],
  op?: string,
): NumericRecord {
  const { expected, actual, policy, options, maxUlp, maxUlpIndex, worst, without, total } = comparison;
  // A mismatch without a distance is worse than any that has one.
  const index = without.nan + without.infinity + without.sign > 0 ? worst[0]!.index : Math.max(0, maxUlpIndex);
  const bits = (array: HostArray): string => (total > 0 ? formatBits(array.dtype, bitsAt(array, index)) : '');
  const value = (array: HostArray): string => formatDecimal(array.dtype, bitsAt(array, index));
  const deviates = maxUlp > 0 || comparison.countMismatch > 0;
  const operands = (options.inputs ?? []).filter(({ shape }) => elementCount(shape) === total);
  const byOrder = deviates ? ulpByOrder(comparison) : undefined;
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
    op,
    dtype: expected.dtype.name,
    exact: comparison.histogram['0'],
    ...(deviates && expected.shape.length > 1 ? { at: indexOf(expected.shape, index) } : {}),
    ...(deviates ? { expected: value(expected), actual: value(actual) } : {}),
    ...(deviates && operands.length > 0
      ? { operands: operands.map((input) => ({ dtype: input.dtype.name, bits: bits(input), value: value(input) })) }
      : {}),
    ...(op === undefined ? {} : { bounds: boundsOf(op, expected.dtype.name) }),
    byOrder,
  };
}

/** What each accuracy profile allows an operation. */
function boundsOf(op: string, dtype: string): NonNullable<NumericRecord['bounds']> {
  const limits = PROFILES.map((profile): [Profile, NumericLimits] => {
    const { ulp, growth, atol } = bound(op, dtype, profile);
    return [profile, { ulp, growth, atol }];
  });
  return Object.fromEntries(limits) as NonNullable<NumericRecord['bounds']>;
}
