import { compileProgram, programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import { expectArray } from '../../steps/expect.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { RawCompilation } from './raw-compilation.ts';
import { runOnce } from './run-once.ts';
import { sampleInputs } from './sample-inputs.ts';

/** Program, format and options are overwritten when the call has returned; the executable computes what it should. */
export const compileMemoryOverwritten: Probe = (context, options) => {
  const program = String(options.program);
  const inputs = sampleInputs(program);
  const expected = runOnce(context, compileProgram(context, program), inputs).map((o) => fetchArray(context, o));
  const compilation = new RawCompilation(
    context,
    programBytes(context.plugin, { program }),
    'mlir',
    compileOptions(context, {}, { program }),
  );
  const executable = compilation.run();
  const inner = context.scope.own(executable.getExecutable());
  const name = inner.name();
  compilation.scribble();
  if (inner.name() !== name) {
    throw new CheckFailure({
      type: 'pjrt.BadData',
      message: 'the name of an executable lies in memory of the caller of PJRT_Client_Compile',
      call: 'PJRT_Executable_Name',
    });
  }
  runOnce(context, executable, inputs).forEach((output, i) => {
    expectArray(context, `output ${i}`, expected[i]!, fetchArray(context, output), 'bits');
  });
};
