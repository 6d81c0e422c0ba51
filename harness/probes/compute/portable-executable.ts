import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure, refusal } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { readSerialized } from './read-serialized.ts';

const CALL = 'PJRT_LoadedExecutable_GetDeviceAssignment';

/** An executable for no device in particular: its device assignment is empty, and still comes with a deleter. */
export const portableExecutable: Probe = (context, options) => {
  let executable: ReturnType<typeof compileProgram>;
  try {
    executable = compileProgram(context, String(options.program), { portable: true });
  } catch (error) {
    throw refusal(error, 'the plugin compiles no portable executables');
  }
  const bytes = readSerialized(context.api, CALL, 'serialized_device_assignment', (call) =>
    call.setWord('executable', executable.pointer),
  );
  if (bytes.length > 0) {
    throw new CheckFailure({
      type: 'pjrt.AssertionFailed',
      message: `${CALL} gives ${bytes.length} bytes for a portable executable, which has no assignment`,
      call: CALL,
    });
  }
};
