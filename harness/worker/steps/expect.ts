import { type HostArray, isHostArray } from '../../knowledge/numerics/array.ts';
import { bound, type Profile, subnormalRule, ulpBounds } from '../../knowledge/numerics/bounds.ts';
import type { Rules } from '../../knowledge/numerics/by-profile.ts';
import type { Policy } from '../../knowledge/numerics/compare.ts';
import { largestMagnitude } from '../../knowledge/numerics/norm.ts';
import { isElementwise } from '../../knowledge/numerics/oracles.ts';
import { shownName } from '../../suite/in-one-step.ts';
import type { Compare, Data, StepBody } from '../../suite/types.ts';
import { check } from './call.ts';
import type { CaseContext } from './context.ts';
import { checkUnchanged, type HeldMemory } from './held-memory.ts';
import { judgeNumbers, type NumbersToJudge, type Operation } from './judge-numbers.ts';
import { type Origin, originText } from './origin.ts';
import { CheckFailure, SuiteFault } from './outcome.ts';

/** `expect`: arrays are compared element by element; anything else by predicates. */
export function expect(context: CaseContext, step: Extract<StepBody, { verb: 'expect' }>): void {
  const { verb: _, actual, compare, level = 'must', unchanged, ...predicate } = step;
  const warns = level !== 'must';
  const value = context.resolve(actual);
  const arrays = typeof step.equals === 'string' && isArrays(value) ? context.resolve(step.equals) : undefined;
  if (isArrays(value) && isArrays(arrays) && value.length === arrays.length) {
    for (const [i, array] of value.entries()) compareArrays(`${actual}[${i}]`, arrays[i]!, array);
    return;
  }
  if (isHostArray(value) && step.equals !== undefined) {
    compareArrays(actual, context.data(step.equals as never), value);
    return;
  }
  atLevel(context, warns, () => {
    if (unchanged) checkUnchanged(heldBy(context, actual));
    const origins = context.originsOf(actual);
    check(context, origins, value, predicate, originText(origins) || shownName(actual, context.case.members));
  });

  function compareArrays(name: string, expected: HostArray, array: HostArray): void {
    const policy = compare ?? 'bits';
    // Where a profile decides, it decides about the level too.
    const how = { warns, origins: context.originsOf(name), operation: operationOf(context, step.equals) };
    if (policy !== 'bits' && policy.bound !== undefined) expectArray(context, name, expected, array, policy, how);
    else atLevel(context, warns, () => expectArray(context, name, expected, array, policy, how));
  }
}

const isArrays = (value: unknown): value is HostArray[] =>
  Array.isArray(value) && value.length > 0 && value.every(isHostArray);

function heldBy(context: CaseContext, actual: string): HeldMemory {
  const memory = context.memoryOf(actual);
  if (!memory) throw new SuiteFault(`${actual} was not read from memory of the plugin, so there is nothing to check`);
  return memory;
}

/** What does not hold is a warning where the step says so. */
function atLevel(context: CaseContext, warns: boolean, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof CheckFailure) || !warns) throw error;
    context.report({ ...error.finding, level: 'should' });
  }
}

type HowToCompare = Pick<NumbersToJudge, 'warns' | 'origins' | 'operation'>;

/** The operation that should have given an array, where the suite computes it by its name. */
function operationOf(context: CaseContext, expected: unknown): Operation | undefined {
  if (typeof expected !== 'object' || expected === null || !('oracle' in expected)) return undefined;
  const { op, of } = (expected as Extract<Data, { oracle: object }>).oracle;
  return { name: op, ...(isElementwise(op) ? { operands: of.map((operand) => context.data(operand)) } : {}) };
}

/** What probes compare without an origin is the output of an execution. */
const EXECUTED: readonly Origin[] = [{ call: 'PJRT_LoadedExecutable_Execute', text: '' }];

/**
 * Compares what the plugin gave with what it should have given, and records the worst deviation also when it passes.
 * @throws CheckFailure with the table of differing elements
 */
export function expectArray(
  context: CaseContext,
  actual: string,
  expected: HostArray,
  array: HostArray,
  policy: Compare,
  { warns = false, origins = EXECUTED, operation }: HowToCompare = {},
): void {
  const rules = rulesOf(context, expected, policy);
  const op = policy === 'bits' ? undefined : policy.bound;
  const what = shownName(actual, context.case.members);
  judgeNumbers(context, { what, expected, actual: array, rules, warns, op, origins, operation });
}

/** `bound: op` stands for what each profile allows the operation; everything else is the same in every profile. */
export function rulesOf(
  context: CaseContext,
  expected: HostArray,
  policy: Compare,
): Rules | ((profile: Profile) => Rules) {
  if (policy === 'bits') return { policy, options: {} };
  if (policy.bound === undefined) return { policy: withNorm(policy, expected), options: {} };
  const { bound: operation, of, profile: fixed, ...rest } = policy;
  const inputs = of === undefined ? [] : [of].flat().map((operand) => context.data(operand));
  const [operand] = inputs;
  const under = (profile: Profile): Rules => {
    const { ulp, atol, norm, range, source, ...more } = bound(operation, expected.dtype.name, profile);
    if (more.growth !== undefined && !operand)
      throw new SuiteFault(`the bound of ${operation} grows with its operand: give \`of\``);
    const grown = operand && ulpBounds({ ulp, source, ...more }, operand);
    return {
      policy: withNorm(
        {
          subnormal: subnormalRule(profile).policy,
          ...rest,
          ulp,
          source,
          ...(atol === undefined ? {} : { atol }),
          ...(norm === undefined ? {} : { norm }),
          range,
        },
        expected,
      ),
      options: { ...(operand ? { inputs } : {}), ...(grown ? { bounds: { ulp: grown } } : {}) },
    };
  };
  return fixed === undefined ? under : under(fixed);
}

/** A fraction of the largest expected magnitude is an absolute bound. */
const withNorm = (policy: Policy, expected: HostArray): Policy =>
  policy.norm === undefined
    ? policy
    : { ...policy, atol: Math.max(policy.atol ?? 0, policy.norm * largestMagnitude(expected)) };
