import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { type Comparison, compareArrays } from '../../../knowledge/numerics/compare.ts';
import { generate } from '../../../knowledge/numerics/generate.ts';
import { coveringChoices } from '../../../knowledge/ops/coverings.ts';
import { firstOf } from '../../../knowledge/ops/pairs.ts';
import { programOf } from '../../../knowledge/ops/program.ts';
import { type Form, nameOf, type TensorType } from '../../../knowledge/ops/space.ts';
import { SPACES } from '../../../knowledge/ops/spaces.ts';
import type { Finding } from '../../../model/finding.ts';
import { POISON } from '../../pjrt/buffer.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import { compileText } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext } from '../../steps/context.ts';
import { mismatchText } from '../../steps/judge-numbers.ts';
import { answerOf, CheckFailure, isRefusal, NotSupported, SuiteFault } from '../../steps/outcome.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { list, oneOf, optional, probe, text } from '../probe.ts';
import { runOnce } from '../support/sample-run.ts';

/** Forms that are compiled as one program. */
const TOGETHER = 32;
/** Forms with findings that are named; further ones are counted. */
const NAMED = 12;

const EXECUTE = 'PJRT_LoadedExecutable_Execute';

/** A form with its name, and what it takes and should give. */
interface Task {
  name: string;
  form: Form;
  inputs: HostArray[];
}

/** What became of a form. */
type Outcome =
  | { kind: 'right' }
  | { kind: 'refused'; why: string }
  | { kind: 'wrong'; finding: Omit<Finding, 'level'> };

/**
 * Runs an operation with choices of its attributes that have every legal pair of values, or the first of them, which have every
 * value, or the rest; many in one program. Forms of constants are all among the first. All results are compared, and what goes wrong is run again, form by form. A plugin may
 * refuse forms.
 */
export const opForms = probe(
  'op-forms',
  {
    op: text,
    form: optional(text),
    operands: optional(oneOf('values', 'constants')),
    share: optional(oneOf('first', 'rest', 'all'), 'all'),
    only: optional(list(text), []),
    without: optional(list(text), []),
  },
  (context, { op, form: named, operands, share, only, without }) => {
    const space = SPACES[op];
    if (!space) throw new SuiteFault(`there is no space of ${op}`);
    const eligible = coveringChoices(op).filter((choice) => {
      if (named !== undefined) return nameOf(op, space, choice) === named;
      if (operands !== undefined && (operands === 'constants') !== (choice.from === 'constants')) return false;
      const has = (one: string): boolean => one === `${one.split('=')[0]}=${choice[one.split('=')[0]!]}`;
      return (only.length === 0 || only.some(has)) && !without.some(has);
    });
    // What the compiler computes itself, no more than once.
    const undivided = share === 'all' || operands === 'constants';
    const first = new Set(undivided ? eligible : firstOf(eligible));
    const chosen = eligible.filter((one) => first.has(one) === (share !== 'rest'));
    if (chosen.length === 0) throw new SuiteFault(`no form of ${op} is left`);
    const held = holding(context);
    const outcomes = new Map<string, Outcome>();
    const tasks: Task[] = [];
    for (const choice of chosen) {
      const name = nameOf(op, space, choice);
      const form = space.form(choice);
      const why = [...form.operands, ...form.results].map(held).find((one) => one !== undefined);
      if (why === undefined) tasks.push({ name, form, inputs: form.operands.map(({ data }) => generate(data)) });
      else outcomes.set(name, { kind: 'refused', why });
    }
    for (let i = 0; i < tasks.length; i += TOGETHER) runAll(context, tasks.slice(i, i + TOGETHER), outcomes);
    conclude(context, op, outcomes);
  },
);

function conclude(context: CaseContext, op: string, outcomes: ReadonlyMap<string, Outcome>): void {
  const all = [...outcomes];
  const refused = all.flatMap(([name, one]) => (one.kind === 'refused' ? [`${name}: ${one.why}`] : []));
  if (refused.length === all.length) throw new NotSupported(`the plugin refuses ${op}: ${refused[0]}`);
  if (refused.length > 0) {
    const is = `${all.length - refused.length} of ${all.length} forms run`;
    context.observed.push({ behaviour: 'op-forms', of: op, is, values: refused.slice(0, NAMED) });
  }
  // The form with the fewest unusual attributes says most.
  const wrong = all
    .flatMap(([name, one]) => (one.kind === 'wrong' ? [{ name, finding: one.finding }] : []))
    .sort((a, b) => a.name.split(' ').length - b.name.split(' ').length);
  const [first] = wrong;
  if (!first) return;
  const { message, detail = '' } = first.finding;
  const names = wrong.slice(0, NAMED).map(({ name }) => `  ${name}`);
  throw new CheckFailure({
    ...first.finding,
    message: `${first.name}: ${message}`,
    detail: [`${wrong.length} of ${all.length} forms:`, ...names, '', detail].join('\n'),
  });
}

/** Says why the plugin cannot hold an array, if it cannot; asks once for each element type, and for each without elements. */
function holding(context: CaseContext): (type: TensorType) => string | undefined {
  const known = new Map<string, string | undefined>();
  return ({ dtype, shape }) => {
    const empty = shape.includes(0);
    const what = empty ? `${dtype} without elements` : dtype;
    if (!known.has(what)) known.set(what, refusalOf(context, what, dtype, empty ? [...shape] : [1]));
    return known.get(what);
  };
}

function refusalOf(context: CaseContext, what: string, dtype: string, shape: number[]): string | undefined {
  try {
    startPut(context, generate({ iota: { dtype, shape } })).destroy();
    return undefined;
  } catch (error) {
    if (isRefusal(error)) return `the plugin cannot hold ${what}: ${answerOf(error)}`;
    throw error;
  }
}

/** Runs forms as one program. If anything goes wrong, those that may be to blame are run again in smaller programs. */
function runAll(context: CaseContext, tasks: readonly Task[], outcomes: Map<string, Outcome>): void {
  if (tasks.length === 0) return;
  let results: HostArray[];
  try {
    results = resultsOf(context, tasks);
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
    if (tasks.length > 1) {
      const half = Math.ceil(tasks.length / 2);
      runAll(context, tasks.slice(0, half), outcomes);
      runAll(context, tasks.slice(half), outcomes);
      return;
    }
    outcomes.set(tasks[0]!.name, failed(tasks[0]!, error));
    return;
  }
  let next = 0;
  for (const task of tasks) {
    const own = results.slice(next, next + task.form.results.length);
    next += own.length;
    const comparison = task.form
      .expected(task.inputs)
      .map((expected, i) => compareArrays(expected, own[i]!, task.form.compare, { poison: POISON }))
      .find(({ ok }) => !ok);
    if (!comparison) outcomes.set(task.name, { kind: 'right' });
    else outcomes.set(task.name, wrong(context, tasks, task, comparison, outcomes));
  }
}

/** A form that is wrong in a program of several: alone, if it is wrong alone, too. */
function wrong(
  context: CaseContext,
  tasks: readonly Task[],
  task: Task,
  comparison: Comparison,
  outcomes: ReadonlyMap<string, Outcome>,
): Outcome {
  const many = [...outcomes.values()].filter(({ kind }) => kind === 'wrong').length;
  if (tasks.length > 1 && many < NAMED) {
    const alone = new Map<string, Outcome>();
    runAll(context, [task], alone);
    const outcome = alone.get(task.name)!;
    if (outcome.kind === 'wrong') return outcome;
  }
  const { message, detail, ...more } = mismatchText('the result', comparison);
  const beside = tasks.length > 1 ? ` in a program of ${tasks.length} forms` : '';
  const program = programOf(tasks.length > 1 && many >= NAMED ? [task.form] : tasks.map(({ form }) => form));
  return {
    kind: 'wrong',
    finding: {
      type: 'pjrt.NumericMismatch',
      message: `${message}${many < NAMED ? beside : ''}`,
      detail: `${detail}\n${program}`,
      call: EXECUTE,
      ...more,
    },
  };
}

function failed({ form }: Task, error: PjrtError): Outcome {
  if (isRefusal(error)) return { kind: 'refused', why: answerOf(error) };
  const { call, codeName: code } = error;
  const detail = programOf([form]);
  return { kind: 'wrong', finding: { type: 'pjrt.UnexpectedError', message: answerOf(error), detail, call, code } };
}

/** All results of forms in one program. @throws PjrtError */
function resultsOf(context: CaseContext, tasks: readonly Task[]): HostArray[] {
  const code = new TextEncoder().encode(programOf(tasks.map(({ form }) => form)));
  const options = compileOptions(context);
  const compile = (bytes: Uint8Array): LoadedExecutable =>
    context.client.compile(context.arena, bytes, 'mlir', options);
  const executable = compileText(context, context.client, code, 'the forms', compile);
  try {
    const inputs = tasks.flatMap((task) => task.inputs);
    const outputs = runOnce(context, executable, inputs);
    const results = outputs.map((output) => fetchArray(context, output));
    const expected = tasks.flatMap(({ form }) => form.results).length;
    if (results.length !== expected)
      throw new CheckFailure({
        type: 'pjrt.AssertionFailed',
        message: `the program has ${results.length} outputs, expected ${expected}`,
        call: EXECUTE,
      });
    return results;
  } finally {
    executable.destroy();
  }
}
