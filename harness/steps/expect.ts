import { bitsAt, type HostArray } from '../numerics/array.ts';
import { bound, ulpBounds } from '../numerics/bounds.ts';
import { type CompareOptions, compareArrays, describe, type Policy } from '../numerics/compare.ts';
import { formatBits } from '../numerics/format-value.ts';
import { POISON } from '../pjrt/buffer.ts';
import type { Compare, StepBody } from '../suite/types.ts';
import { check } from './call.ts';
import { type CaseContext, isHostArray } from './context.ts';
import { CheckFailure, SuiteFault } from './outcome.ts';

/** `expect`: arrays are compared element by element; anything else by predicates. */
export function expect(context: CaseContext, step: Extract<StepBody, { verb: 'expect' }>): void {
  const { verb: _, actual, compare, level, ...predicate } = step;
  try {
    const value = context.resolve(actual);
    if (isHostArray(value) && step.equals !== undefined) {
      expectArray(context, actual, context.data(step.equals as never), value, compare ?? 'bits');
    } else check(context, actual.replace(/^\$/, ''), value, predicate);
  } catch (error) {
    if (!(error instanceof CheckFailure) || level === undefined || level === 'must') throw error;
    context.report({ ...error.finding, level: 'should' });
  }
}

/**
 * Compares what the plugin gave with what it should have given, and records the worst deviation also when it passes.
 * @throws CheckFailure with the table of differing elements
 */
export function expectArray(
  context: CaseContext,
  what: string,
  expected: HostArray,
  actual: HostArray,
  policy: Compare,
): void {
  const { limits, options } = withBound(context, expected, policy);
  const comparison = compareArrays(expected, actual, limits, { poison: POISON, ...options });
  if (
    comparison.maxUlp !== undefined &&
    comparison.maxUlpIndex !== undefined &&
    comparison.maxUlpIndex >= 0 &&
    limits !== 'bits'
  ) {
    context.numerics.push({
      what: what.replace(/^\$/, ''),
      maxUlp: comparison.maxUlp,
      allowedUlp: options.bounds?.ulp?.[comparison.maxUlpIndex] ?? limits.ulp ?? 0,
      index: comparison.maxUlpIndex,
      expectedBits: formatBits(expected.dtype, bitsAt(expected, comparison.maxUlpIndex)),
      actualBits: formatBits(actual.dtype, bitsAt(actual, comparison.maxUlpIndex)),
    });
  }
  if (comparison.ok) return;
  const [first, ...rest] = describe(comparison).split('\n');
  throw new CheckFailure({
    type: 'pjrt.NumericMismatch',
    message: `${what.replace(/^\$/, '')}: ${first}`,
    detail: rest.join('\n'),
  });
}

/** Replaces `bound: op` by the numbers of its accuracy profile for the expected type. */
function withBound(
  context: CaseContext,
  expected: HostArray,
  policy: Compare,
): { limits: Policy | 'bits'; options: CompareOptions } {
  if (policy === 'bits' || policy.bound === undefined) return { limits: policy, options: {} };
  const { bound: operation, of, profile = 'standard', ...rest } = policy;
  const { ulp, atol, range, source, ...more } = bound(operation, expected.dtype.name, profile);
  const operand = of === undefined ? undefined : context.data(of);
  if (more.growth !== undefined && !operand)
    throw new SuiteFault(`the bound of ${operation} grows with its operand: give \`of\``);
  const grown = operand && ulpBounds({ ulp, source, ...more }, operand);
  return {
    limits: { ...rest, ulp, source, ...(atol === undefined ? {} : { atol }), ...(range ? { range } : {}) },
    options: { ...(operand ? { inputs: [operand] } : {}), ...(grown ? { bounds: { ulp: grown } } : {}) },
  };
}
