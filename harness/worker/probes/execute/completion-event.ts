import { watchRunDelay } from '../../ffi/run-delay.ts';
import { compileProgram } from '../../steps/compile.ts';
import { roundsArray, roundsInTime } from '../../steps/in-flight.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import { startPut } from '../../steps/transfer.ts';
import { number, probe } from '../probe.ts';
import { filled } from '../support/checks.ts';
import { nap } from '../support/nap.ts';
import { start } from '../support/sample-run.ts';

/** How long an output may take to become ready after the run was complete, while threads of the process need not wait for a processor. */
const GRACE_MS = 100;

/** After its completion event the run is over: the event is ready and without error, and stays so, as do the outputs. */
export const completionEvent = probe('completion-event', { iterations: number }, (context, { iterations }) => {
  const executable = compileProgram(context, 'misc/long_running');
  const args = [roundsArray(roundsInTime(context, iterations)), filled('f32', [64], 2)].map((a) =>
    startPut(context, a),
  );
  const run = start(context, executable, [args]);
  const fail = (message: string, call: string) => {
    throw new CheckFailure({ type: 'pjrt.EventContract', message, call });
  };
  const [event] = run.events;
  if (!event?.pointer) return fail('no completion event was made', 'PJRT_LoadedExecutable_Execute');
  event.await();
  if (!event.isReady()) fail('a completion event is not ready after it was awaited', 'PJRT_Event_IsReady');
  const error = event.error();
  if (error)
    fail(`a completion event that was awaited without error has the error ${error.codeName}`, 'PJRT_Event_Error');
  const output = run.outputs[0]![0]!;
  const ready = context.scope.own(output.readyEvent());
  // Both become ready at the same time, one after the other: a moment is granted, not the time of the run.
  const [began, delayed] = [performance.now(), watchRunDelay()];
  while (!ready.isReady() && performance.now() - began - delayed() < GRACE_MS) nap(1);
  if (!ready.isReady()) {
    context.report({
      type: 'pjrt.EventContract',
      level: 'should',
      message: 'the run is complete, but its output is not ready for a long time after',
      call: 'PJRT_Event_IsReady',
    });
  }
  ready.await();
  const status = ready.error();
  if (status) fail(`an output of a completed run has the error ${status.codeName}`, 'PJRT_Buffer_ReadyEvent');
});
