import { alloc, type HostArray, reader, writer } from '../../../knowledge/numerics/array.ts';
import { decode, encode } from '../../../knowledge/numerics/codec.ts';
import { loadProgram } from '../../../knowledge/programs/programs.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { judgeNumbers } from '../../steps/judge-numbers.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { flag, optional, probe, program } from '../probe.ts';
import { filled, violated } from '../support/checks.ts';
import { runOnce, sampleInputs } from '../support/sample-run.ts';

/**
 * A call of a target that is registered nowhere: an error from the compiler or from the run, which should name the target.
 * With `needed: false` nothing depends on the call: then the program may also run, and returns twice its last argument. `taken` is
 * the value of a predicate that the program takes first.
 */
export const unknownCustomCall = probe(
  'unknown-custom-call',
  { program, taken: optional(flag), needed: optional(flag) },
  (context, { program: name, taken, needed }) => {
    const program = loadProgram(name);
    const target = /custom_call @([\w.]+)/.exec(program.text())![1]!;
    const inputs = sampleInputs(program.name);
    if (taken !== undefined) inputs[0] = filled('pred', [], taken ? 1 : 0);
    try {
      const executable = compileProgram(context, program.name);
      const outputs = runOnce(context, executable, inputs);
      for (const output of outputs) output.awaitReady();
      if (needed === false) {
        judgeNumbers(context, {
          what: 'output',
          subject: `what does not depend on ${target} is wrong`,
          expected: doubled(inputs.at(-1)!),
          actual: fetchArray(context, outputs[0]!),
          rules: { policy: 'bits', options: {} },
        });
        return;
      }
    } catch (error) {
      if (!(error instanceof PjrtError)) throw error;
      if (!error.text.includes(target)) {
        context.report({
          type: 'pjrt.WrongError',
          level: 'should',
          message: `the error for an unknown custom call does not name its target, ${target}`,
          detail: `message: ${error.text}`,
          call: error.call,
          requirements: ['CMP-SRC-003'],
        });
      }
      return;
    }
    // No result is the right one: XLA's plugins return an error, and callers take whatever comes as computed.
    violated(
      `a program that calls ${target}, which is not registered, compiled and ran`,
      'PJRT_LoadedExecutable_Execute',
      'RUN-BAS-001',
      'pjrt.MissingError',
    );
  },
);

function doubled(array: HostArray): HostArray {
  const result = alloc(array.dtype, [...array.shape]);
  const [read, write] = [reader(array), writer(result)];
  for (let i = 0; i < array.shape.reduce((x, y) => x * y, 1); i++)
    write(i, encode(array.dtype, 2 * (decode(array.dtype, read(i)) as number)));
  return result;
}
