import { compileProgram, programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext } from '../../steps/context.ts';
import { expectArray } from '../../steps/expect.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { number, probe } from '../probe.ts';
import { runOnce, sampleInputs } from '../support/sample-run.ts';
import { RawCompilation } from './raw-compilation.ts';

const PROGRAMS = ['misc/add_one', 'control/while_dynamic', 'dot/matmul_16x32x8_f32', 'outputs/mixed_types'];

/** Several threads compile the same program at a time. */
export const concurrentCompilationOfOne = probe(
  'concurrent-compilation-of-one',
  { threads: number },
  (context, { threads }) =>
    compileAtOnce(
      context,
      Array.from({ length: threads }, () => PROGRAMS[2]!),
    ),
);

/** Several threads compile at a time, each its own program. */
export const concurrentCompilationOfSeveral = probe(
  'concurrent-compilation-of-several',
  { threads: number },
  (context, { threads }) =>
    compileAtOnce(
      context,
      Array.from({ length: threads }, (_, i) => PROGRAMS[i % PROGRAMS.length]!),
    ),
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
