import { readBytes } from '../../ffi/memory.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { expectArray } from '../../steps/expect.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { RawExecution } from './raw-execution.ts';
import { bytesOf, filled } from './sample-run.ts';

/**
 * While the caller holds a reference to the memory of a buffer, an execution that would take that memory is refused or
 * works on a copy: what the caller sees does not change.
 */
export const donationWithReference: Probe = (context, options) => {
  const executable = compileProgram(context, String(options.program));
  const input = filled('f32', [4], 3);
  const buffer = startPut(context, input);
  if (!buffer.isOnCpu()) throw new NotSupported('the memory of the buffer cannot be read by the host');
  buffer.addReference();
  const pointer = buffer.opaquePointer();
  const run = new RawExecution(context, executable, [[buffer]], { events: true });
  try {
    run.run();
    for (const event of run.completions()) event.await();
    const [output] = run.outputs()[0]!;
    expectArray(context, 'the output', filled('f32', [4], 4), fetchArray(context, output!), 'bits');
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
  }
  const now = readBytes(pointer, bytesOf(input));
  if (Buffer.compare(now, input.bytes) !== 0) {
    throw new CheckFailure({
      type: 'pjrt.MemoryOverrun',
      message: 'an execution wrote into memory of a donated buffer to which the caller holds a reference',
      call: 'PJRT_LoadedExecutable_Execute',
    });
  }
  try {
    buffer.dropReference();
  } catch (error) {
    // Whether a buffer that was taken still counts references is not said anywhere.
    if (!(error instanceof PjrtError)) throw error;
  }
};
