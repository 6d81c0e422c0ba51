import { compileProgram } from '../../steps/compile.ts';
import { expectArray } from '../../steps/expect.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { sampleInputs } from './sample-inputs.ts';

/** The same executable with the same buffers, again and again: the bits of the first run every time. */
export const repeatedExecution: Probe = (context, options) => {
  const program = String(options.program);
  const executable = compileProgram(context, program);
  const inputs = sampleInputs(program);
  const args = inputs.map((input) => startPut(context, input));
  const once = () => {
    const run = executable.execute(context.arena, [args], { events: true });
    for (const event of run.events) {
      event.await();
      event.destroy();
    }
    return run.outputs[0]!.map((output) => {
      const array = fetchArray(context, output);
      output.destroy();
      return array;
    });
  };
  const first = once();
  for (let i = 1; i < Number(options.times); i++) {
    once().forEach((array, output) => {
      expectArray(context, `output ${output} of a later run`, first[output]!, array, 'bits');
    });
  }
  args.forEach((arg, i) => {
    expectArray(context, `argument ${i} after all runs`, inputs[i]!, fetchArray(context, arg), 'bits');
  });
};
