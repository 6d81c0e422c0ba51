import { compileProgram } from '../../steps/compile.ts';
import { refusal } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { readSerialized } from './read-serialized.ts';

const CALL = 'PJRT_LoadedExecutable_GetDeviceAssignment';

/**
 * An executable for no device in particular: its device assignment is empty, and still comes with a deleter. A plugin that
 * binds it to a device all the same may refuse the others (execute/errors:execute-portable), so an assignment only warns.
 */
export const portableExecutable: Probe = (context, options) => {
  let executable: ReturnType<typeof compileProgram>;
  try {
    executable = compileProgram(context, String(options.program), { portable: true });
  } catch (error) {
    throw refusal(error, 'the plugin compiles no portable executables');
  }
  const bytes = readSerialized(context.api, CALL, (call) => call.setWord('executable', executable.pointer));
  if (bytes.length > 0) {
    context.report({
      type: 'pjrt.AssertionFailed',
      level: 'should',
      requirements: ['CMP-OPT-005'],
      message: `${CALL} gives ${bytes.length} bytes for a portable executable, which has no assignment`,
      call: CALL,
    });
  }
};
