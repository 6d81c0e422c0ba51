import { bitsAt, type HostArray } from '../numerics/array.ts';
import { compareArrays, describe } from '../numerics/compare.ts';
import { formatBits } from '../numerics/format-value.ts';
import { POISON } from '../pjrt/buffer.ts';
import type { Compare, StepBody } from '../suite/types.ts';
import { check } from './call.ts';
import { type CaseContext, isHostArray } from './context.ts';
import { CheckFailure } from './outcome.ts';

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
  const comparison = compareArrays(expected, actual, policy, { poison: POISON });
  if (comparison.maxUlp !== undefined && comparison.maxUlpIndex !== undefined && policy !== 'bits') {
    context.numerics.push({
      what: what.replace(/^\$/, ''),
      maxUlp: comparison.maxUlp,
      allowedUlp: policy.ulp ?? 0,
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
