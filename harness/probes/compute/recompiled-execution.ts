import { compileProgram } from '../../steps/compile.ts';
import { expectArray } from '../../steps/expect.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { runOnce } from './run-once.ts';
import { sampleInputs } from './sample-inputs.ts';

/** Two compilations of one program give the same bits. */
export const recompiledExecution: Probe = (context, options) => {
  const program = String(options.program);
  const inputs = sampleInputs(program);
  const run = () => {
    const executable = compileProgram(context, program);
    const outputs = runOnce(context, executable, inputs).map((output) => fetchArray(context, output));
    executable.destroy();
    return outputs;
  };
  const first = run();
  run().forEach((array, i) => {
    expectArray(context, `output ${i} of the second compilation`, first[i]!, array, 'bits');
  });
};
