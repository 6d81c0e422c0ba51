import { compileProgram, programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext } from '../../steps/context.ts';
import { expectArray } from '../../steps/expect.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { runOnce, sampleInputs } from '../support/sample-run.ts';
import { RawCompilation } from './raw-compilation.ts';

const PROGRAMS = ['misc/add_one', 'control/while_dynamic', 'dot/matmul_16x32x8_f32', 'outputs/mixed_types'];

/** Several threads compile the same program at a time. Options: `threads`. */
export const concurrentCompilationOfOne: Probe = (context, options) =>
  compileAtOnce(
    context,
    Array.from({ length: Number(options.threads) }, () => PROGRAMS[2]!),
  );

/** Several threads compile at a time, each its own program. Options: `threads`. */
export const concurrentCompilationOfSeveral: Probe = (context, options) =>
  compileAtOnce(
    context,
    Array.from({ length: Number(options.threads) }, (_, i) => PROGRAMS[i % PROGRAMS.length]!),
  );

/** Compiles each program on a thread of its own; every executable is right. */
async function compileAtOnce(context: CaseContext, programs: readonly string[]): Promise<void> {
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
}
