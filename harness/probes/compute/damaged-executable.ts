import { PjrtError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { loadSerialized, serialize } from './load-serialized.ts';

/** The beginning of a serialized executable (`keep`: a number of bytes, half, or all-but-one) is not loaded. */
export const damagedExecutable: Probe = (context, options) => {
  const bytes = serialize(context, compileProgram(context, String(options.program)));
  // The control: without it, a plugin that loads nothing at all would pass.
  loadSerialized(context, bytes);
  const { keep } = options;
  const kept = keep === 'half' ? bytes.length >> 1 : keep === 'all-but-one' ? bytes.length - 1 : Number(keep);
  try {
    loadSerialized(context, bytes.subarray(0, kept));
  } catch (error) {
    if (error instanceof PjrtError) return;
    throw error;
  }
  throw new CheckFailure({
    type: 'pjrt.MissingError',
    message: 'PJRT_Executable_DeserializeAndLoad loaded bytes that are no executable',
    call: 'PJRT_Executable_DeserializeAndLoad',
  });
};
