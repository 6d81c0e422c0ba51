import { PjrtError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { expectArray } from '../../steps/expect.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { filled } from './sample-inputs.ts';

/** A program that must take its argument and a caller who forbids it: an error, or the argument is as it was. */
export const mustAliasKept: Probe = (context, options) => {
  const executable = compileProgram(context, String(options.program));
  const input = filled('f32', [4], 3);
  const buffer = startPut(context, input);
  try {
    const run = executable.execute(context.arena, [[buffer]], { events: true, nonDonatable: [0] });
    for (const output of run.outputs[0]!) context.scope.own(output);
    for (const event of run.events) context.scope.own(event).await();
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
  }
  if (buffer.isDeleted()) {
    throw new CheckFailure({
      type: 'pjrt.AssertionFailed',
      message: 'an argument that the caller listed as not donatable was taken, because the program must take it',
      call: 'PJRT_LoadedExecutable_Execute',
      level: 'must',
      requirements: ['RUN-DON-003'],
    });
  }
  expectArray(context, 'the argument', input, fetchArray(context, buffer), 'bits');
};
