import { PjrtError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { startPut } from '../../steps/transfer.ts';
import { probe, program } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { sampleInputs } from '../support/sample-run.ts';
import { RawExecution, SENTINEL } from './raw-execution.ts';

const CALL = 'PJRT_LoadedExecutable_Execute';

/**
 * A call with an argument too many fails and leaves the lists for events and outputs as they were. A plugin may find out
 * late: then its events or outputs end in the error.
 */
export const failedExecution = probe('failed-execution', { program }, (context, { program }) => {
  const executable = compileProgram(context, program);
  const args = sampleInputs(program).map((input) => startPut(context, input));
  const run = new RawExecution(context, executable, [[...args, ...args]], { events: true });
  try {
    run.run();
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
    if (run.eventWords().some((word) => word !== SENTINEL && word !== 0n)) {
      violated(
        `${CALL} failed, but wrote completion events: they would never be destroyed`,
        CALL,
        undefined,
        'pjrt.OutputTouched',
      );
    }
    return;
  }
  if (endsInError(run)) return;
  violated(`${CALL} succeeded with an argument too many`, CALL, 'RUN-ERR-001', 'pjrt.MissingError');
});

/** Whether an event or an output of an execution that was accepted ends in an error. */
function endsInError(run: RawExecution): boolean {
  try {
    for (const event of run.completions()) event.await();
    for (const output of run.outputs().flat()) output.awaitReady();
    return false;
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
    return true;
  }
}
