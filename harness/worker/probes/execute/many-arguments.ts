import { loadProgram } from '../../../knowledge/programs/programs.ts';
import { compileProgram } from '../../steps/compile.ts';
import { expectArray } from '../../steps/expect.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { probe, program } from '../probe.ts';
import { filled } from '../support/checks.ts';
import { runOnce } from '../support/sample-run.ts';

/** Many arguments, each with its own value, in a sum that weighs each by its place: any two exchanged would show. */
export const manyArguments = probe('many-arguments', { program }, (context, { program: name }) => {
  const program = loadProgram(name);
  const value = (i: number) => ((i * 7) % 13) - 6;
  const inputs = program.inputs.map(({ dtype, shape }, i) => filled(dtype, shape, value(i)));
  const [output] = runOnce(context, compileProgram(context, program.name), inputs);
  const { dtype, shape } = program.outputs[0]!;
  const expected = inputs.reduce((sum, _, i) => sum + (i + 1) * value(i), 0);
  expectArray(
    context,
    'the weighted sum of all arguments',
    filled(dtype, shape, expected),
    fetchArray(context, output!),
    'bits',
  );
});
