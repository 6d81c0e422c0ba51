import { compileProgram, programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import { expectArray } from '../../steps/expect.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { RawCompilation } from './raw-compilation.ts';
import { runOnce, sampleInputs } from './sample-run.ts';

const PROGRAMS = ['misc/add_one', 'control/while_dynamic', 'dot/matmul_16x32x8_f32', 'outputs/mixed_types'];

/** Several threads compile at a time, all the same program or each its own; every executable is right. */
export const concurrentCompilation: Probe = async (context, options) => {
  const threads = Number(options.threads);
  const programs = Array.from({ length: threads }, (_, i) =>
    options.what === 'same' ? PROGRAMS[2]! : PROGRAMS[i % PROGRAMS.length]!,
  );
  const compilations = programs.map(
    (program) =>
      new RawCompilation(
        context,
        programBytes(context.plugin, { program }),
        'mlir',
        compileOptions(context, {}, { program }),
      ),
  );
  const executables = await Promise.all(compilations.map((compilation) => compilation.runAsync()));
  executables.forEach((executable, thread) => {
    const program = programs[thread]!;
    const inputs = sampleInputs(program);
    const expected = runOnce(context, compileProgram(context, program), inputs).map((o) => fetchArray(context, o));
    runOnce(context, executable, inputs).forEach((output, i) => {
      expectArray(context, `output ${i} of ${program}`, expected[i]!, fetchArray(context, output), 'bits');
    });
  });
};
