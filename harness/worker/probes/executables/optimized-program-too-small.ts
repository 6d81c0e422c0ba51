import { compareCanary } from '../../pjrt/canary.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { oneOf, probe, program } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { ask, askSize, poisoned } from './optimized-program.ts';

const CALL = 'PJRT_Executable_OptimizedProgram';

/** A buffer that is too small, by one byte or altogether, is an error, and nothing behind it is written. */
export const optimizedProgramTooSmall = probe(
  'optimized-program-too-small',
  { program, missing: oneOf(1, 'all') },
  (context, { program, missing }) => {
    const executable = context.scope.own(compileProgram(context, program).getExecutable());
    const { size } = askSize(context, executable);
    const room = missing === 'all' ? 0 : size - missing;
    const code = poisoned(context, room);
    let refused = false;
    try {
      ask(context, executable, code.address, room);
    } catch (error) {
      if (!(error instanceof PjrtError)) throw error;
      refused = true;
    }
    if (!compareCanary(code, room)) {
      violated(
        `${CALL} wrote behind a buffer that is too small for the program`,
        CALL,
        undefined,
        'pjrt.MemoryOverrun',
      );
    }
    if (!refused) {
      violated(
        `${CALL} succeeded with a buffer that is too small for the program`,
        CALL,
        undefined,
        'pjrt.MissingError',
      );
    }
  },
);
