import { PjrtError } from '../../pjrt/errors.ts';
import { loadProgram } from '../../programs/programs.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { runOnce, sampleInputs } from './sample-run.ts';

/** A call of a target that is registered nowhere: an error from the compiler or from the run, which should name the target. */
export const unknownCustomCall: Probe = (context, options) => {
  const program = loadProgram(String(options.program));
  const target = /custom_call @([\w.]+)/.exec(program.text())![1]!;
  try {
    const executable = compileProgram(context, program.name);
    for (const output of runOnce(context, executable, sampleInputs(program.name))) output.awaitReady();
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
  throw new CheckFailure({
    type: 'pjrt.MissingError',
    message: `a program that calls ${target}, which is not registered, compiled and ran`,
    call: 'PJRT_LoadedExecutable_Execute',
    // No result is the right one: XLA's plugins return an error, and callers take whatever comes as computed.
    requirements: ['RUN-BAS-001'],
  });
};
