import type { HostArray } from '../../knowledge/numerics/array.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import { generate } from '../../knowledge/numerics/generate.ts';
import type { Program } from '../../knowledge/programs/program.ts';
import { loadProgram } from '../../knowledge/programs/programs.ts';
import type { ProgramFact, StepBody } from '../../suite/types.ts';
import { programBytes } from './compile.ts';
import { compileOptions } from './compile-options.ts';
import type { CaseContext } from './context.ts';

/** `program`: what is known of a committed program, and how this plugin would be sent it. */
export function program(context: CaseContext, step: Extract<StepBody, { verb: 'program' }>): void {
  const found = loadProgram(context.programOf(step.name));
  for (const [name, fact] of Object.entries(step.as)) context.bind(name, FACTS[fact](found, context));
}

const FACTS: Readonly<Record<ProgramFact, (program: Program, context: CaseContext) => unknown>> = {
  inputs: programInputs,
  code: ({ name }, { plugin }) => programBytes(plugin, { program: name }),
  compile_options: ({ name }, context) => compileOptions(context, {}, { program: name }),
  num_inputs: ({ inputs }) => inputs.length,
  num_outputs: ({ outputs }) => outputs.length,
  output_types: ({ outputs }) => outputs.map((output) => dtype(output.dtype).enumValue),
  output_dims: ({ outputs }) => outputs.map(({ shape }) => [...shape]),
};

/** Arrays of the right types and shapes for the parameters of a program: those that it needs, or a different one for each. */
export function programInputs({ inputs }: Pick<Program, 'inputs'>): HostArray[] {
  return inputs.map(({ dtype: type, shape, data }, seed) =>
    generate(data ?? { hash: { dtype: type, shape: [...shape], seed } }),
  );
}
