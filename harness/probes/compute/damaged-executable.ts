import { PjrtError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { loadSerialized, serialize } from './load-serialized.ts';

/** The beginning of a serialized executable, without the rest: `keep` bytes of it, half of it, or all but one. */
export const damagedExecutable: Probe = (context, options) => {
  const bytes = serialize(context, compileProgram(context, String(options.program)));
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
    message: 'PJRT_Executable_DeserializeAndLoad loaded an executable of which the end is missing',
    call: 'PJRT_Executable_DeserializeAndLoad',
  });
};
