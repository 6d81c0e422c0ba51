import { PjrtError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { loadSerialized, serialize } from './load-serialized.ts';

/**
 * Bytes that are no executable, given to a plugin that does load what it serialized: the beginning of a good one (`keep`:
 * so many bytes, half, or all-but-one), or bytes without meaning (`bytes`, hexadecimal).
 */
export const damagedExecutable: Probe = (context, options) => {
  const bytes = serialize(context, compileProgram(context, String(options.program)));
  // The control: without it, a plugin that loads nothing at all would pass.
  loadSerialized(context, bytes);
  const { keep } = options;
  const kept = keep === 'half' ? bytes.length >> 1 : keep === 'all-but-one' ? bytes.length - 1 : Number(keep);
  try {
    loadSerialized(
      context,
      options.bytes === undefined
        ? bytes.subarray(0, kept)
        : Buffer.from(options.bytes === 'none' ? '' : String(options.bytes), 'hex'),
    );
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
