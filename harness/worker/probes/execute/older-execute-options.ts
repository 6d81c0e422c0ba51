import { Abi, OLDEST_MINOR } from '../../../knowledge/abi/index.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { startPut } from '../../steps/transfer.ts';
import { probe, program } from '../probe.ts';
import { sampleInputs, start } from '../support/sample-run.ts';

/** Frameworks of this API version are the oldest whose options have the fields that all of today's plugins read. */
const SINCE = 78;

/** Options as small as callers of earlier versions send them: each size is accepted, or that is said once. */
export const olderExecuteOptions = probe('older-execute-options', { program }, (context, { program }) => {
  const now = context.api.struct('PJRT_ExecuteOptions').structSize;
  const sizes = new Map<number, number>();
  for (let minor = Math.max(SINCE, OLDEST_MINOR); minor < context.api.abi.minor; minor++) {
    const size = Abi.at(minor).struct('PJRT_ExecuteOptions').structSize;
    if (size < now) sizes.set(size, minor);
  }
  if (sizes.size === 0) {
    throw new NotSupported(
      `no version from 0.${SINCE} on has smaller PJRT_ExecuteOptions than 0.${context.api.abi.minor}`,
    );
  }
  const executable = compileProgram(context, program);
  const args = sampleInputs(program).map((input) => startPut(context, input));
  for (const [size, minor] of sizes) {
    try {
      const run = start(context, executable, [args], { fill: (view) => view.setSize('struct_size', size) });
      for (const event of run.events) event.await();
    } catch (error) {
      if (!(error instanceof PjrtError)) throw error;
      context.report({
        type: 'pjrt.StructSize',
        level: 'should',
        message: `PJRT_ExecuteOptions of ${size} bytes, as a caller of 0.${minor} sends them, are refused with ${error.codeName}`,
        detail: `message: ${error.text}`,
        call: 'PJRT_LoadedExecutable_Execute',
      });
    }
  }
});
