import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemReason } from '../../base/system-reason.ts';
import { build, type HostArray } from '../../knowledge/numerics/array.ts';
import { bound, boundedOps, type Profile, subnormalRule, ulpBounds } from '../../knowledge/numerics/bounds.ts';
import { compareByProfile, type Rules } from '../../knowledge/numerics/by-profile.ts';
import { encode } from '../../knowledge/numerics/codec.ts';
import { compareArrays } from '../../knowledge/numerics/compare.ts';
import type { Scalar } from '../../knowledge/numerics/data.ts';
import { namedArray } from '../../knowledge/numerics/mismatch-numbers.ts';
import { type RecordedCheck, type RecordedTest, readRecorded } from '../../knowledge/recorded/module.ts';
import type { StepBody } from '../../suite/types.ts';
import { POISON } from '../pjrt/buffer.ts';
import type { LoadedExecutable } from '../pjrt/executable.ts';
import { compileText } from './compile.ts';
import { compileOptions } from './compile-options.ts';
import type { CaseContext } from './context.ts';
import { otherOutputs } from './execute.ts';
import { rulesOf } from './expect.ts';
import { mismatchText, poisoned, recordOf, withInputs } from './judge-numbers.ts';
import { CheckFailure, NotSupported, refusal, SuiteFault } from './outcome.ts';
import { fetchArray, startPut } from './transfer.ts';

type Recorded = Extract<StepBody, { verb: 'recorded' }>;

/**
 * `recorded`: a module that holds a program, its inputs and its results is compiled without these, run on the inputs, and its
 * outputs are compared with the results, within what the module allows. Everything happens in the worker, one module at a
 * time: cases hold nothing but a path.
 */
export function recorded(context: CaseContext, step: Recorded): void {
  const file = resolve(dirname(context.case.file), step.path);
  const test = read(file, step);
  const executable = compiled(context, test, file);
  const buffers = test.inputs.map((array) => startPut(context, array));
  const { outputs, events } = executable.execute(context.arena, [buffers], { events: true });
  for (const object of [...outputs.flat(), ...events]) context.scope.own(object);
  for (const event of events) event.await();
  const count = new Set(test.checks.flatMap(({ output, expected }) => [output, expected]).filter(Number.isInteger))
    .size;
  const results = outputs[0]!;
  if (results.length !== count) throw otherOutputs(results.length, count);
  const arrays = results.map((buffer) => fetchArray(context, buffer));
  const failures = test.checks.flatMap((check) => judge(context, test, check, arrays, step) ?? []);
  if (failures.length > 0) throw failures[0]!;
}

/** @throws NotSupported if only StableHLO's interpreter can run the test */
function read(file: string, { function: name, occurrence }: Recorded): RecordedTest {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SuiteFault(`${file} cannot be read: ${systemReason(error)}`);
  }
  const choice = { function: name, occurrence };
  const test = readRecorded(text, file, choice);
  if ('reason' in test) throw new NotSupported(test.reason);
  return test;
}

/**
 * Compiles a program that the plugin need not accept. The API has no list of what a compiler must be able to compile, so a
 * refusal makes the case unsupported; anything else is an error of the plugin.
 */
function compiled(context: CaseContext, { program }: RecordedTest, file: string): LoadedExecutable {
  const { client, arena, scope } = context;
  const options = compileOptions(context);
  try {
    return compileText(context, client, Buffer.from(program, 'utf8'), file, (code) =>
      scope.own(client.compile(arena, code, 'mlir', options)),
    );
  } catch (error) {
    throw refusal(error, 'the plugin refuses the program');
  }
}

/**
 * Compares an output by the check of the module; where that does not hold, by the accuracy profile of the run.
 * @returns what fails the case
 */
function judge(
  context: CaseContext,
  test: RecordedTest,
  check: RecordedCheck,
  arrays: readonly HostArray[],
  step: Recorded,
): CheckFailure | undefined {
  const actual = arrays[check.output]!;
  const expected = typeof check.expected === 'number' ? arrays[check.expected]! : check.expected;
  const { source, ...limits } = check.tolerance;
  const theirs = compareArrays(expected, actual, { ...limits, source }, { poison: POISON });
  const what = `result ${check.output}`;
  const own = theirs.structure === undefined ? ownRules(context, test, check, expected) : undefined;
  const { profile } = context.numericsProfile;
  const ours = own && compareByProfile(expected, actual, profile, own);
  if (theirs.structure === undefined) context.numerics.push(recordOf(what, theirs, ours && (ours.meets ?? 'none')));
  if (theirs.ok) return undefined;
  const inputs = test.inputs.map((array, i) => namedArray(`input ${i}`, array));
  const { message, detail, ...more } = withInputs(mismatchText(what, theirs), inputs);
  const notes = [
    `${check.name} in ${step.path}:${check.line}`,
    ...(test.disabled === undefined
      ? []
      : [`StableHLO does not run this test on its own interpreter: ${test.disabled}`]),
    detail,
  ];
  const call = 'PJRT_LoadedExecutable_Execute';
  const finding = { type: 'pjrt.NumericMismatch', message, detail: notes.join('\n'), call, ...more };
  if (ours?.comparison.ok) {
    context.report({ ...finding, level: 'should', message: `${message}; the profile ${profile} allows it` });
    return undefined;
  }
  const hint = ours?.meets === undefined ? '' : `; the profile ${ours.meets} allows it: --numerics ${ours.meets}`;
  return new CheckFailure({ ...finding, message: `${message}${hint}` });
}

/** f(0) of functions of one number: also a correct result for a subnormal operand where a profile allows flushing it. */
const AT_ZERO: Readonly<Record<string, Scalar>> = {
  abs: 0,
  cbrt: 0,
  ceil: 0,
  cosine: 1,
  exponential: 1,
  exponential_minus_one: 0,
  floor: 0,
  log: '-inf',
  log_plus_one: 0,
  logistic: 0.5,
  negate: 0,
  round_nearest_afz: 0,
  round_nearest_even: 0,
  sign: 0,
  sine: 0,
  sqrt: 0,
  tan: 0,
  tanh: 0,
};

/**
 * What each accuracy profile allows: the bound of the operation where a single one computes the result, otherwise that of
 * whole programs. What must be equal, though no bound of the operation is known, must be equal in every profile.
 */
function ownRules(
  context: CaseContext,
  { inputs }: RecordedTest,
  { operation, tolerance }: RecordedCheck,
  recorded: HostArray,
): ((profile: Profile) => Rules) | undefined {
  const { kind, name: type } = recorded.dtype;
  if (kind !== 'float' && kind !== 'complex') return undefined;
  const operands = (operation?.inputs ?? []).map((input) => inputs[input]!);
  const alike = operands.every(({ dtype, shape }) => dtype.name === type && String(shape) === String(recorded.shape));
  if (!operation || kind === 'complex' || !alike || !boundedOps().includes(operation.name)) {
    if (tolerance.ulp === 0) return undefined;
    const rules = rulesOf(context, recorded, { bound: 'program' });
    if (typeof rules !== 'function') return undefined;
    return poisoned(rules);
  }
  const { name } = operation;
  const atZero = operands.length === 1 ? AT_ZERO[name] : undefined;
  const hasIt = atZero !== undefined && (atZero !== '-inf' || recorded.dtype.float?.inf === true);
  const bits = hasIt ? encode(recorded.dtype, atZero) : 0;
  const flushed = hasIt ? [build(recorded.dtype, recorded.shape, () => bits)] : [];
  return poisoned((profile) => {
    const allowed = bound(name, type, profile);
    const { ulp, atol, range, source } = allowed;
    const grown = operands[0] && ulpBounds(allowed, operands[0]);
    return {
      policy: { subnormal: subnormalRule(profile).policy, ulp, source, atol, range },
      options: { inputs: operands, flushed, ...(grown ? { bounds: { ulp: grown } } : {}) },
    };
  });
}
