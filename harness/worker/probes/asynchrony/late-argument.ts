import { compileProgram } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { untilItWaits } from '../../steps/execute.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { makePending } from '../../steps/pending.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { probe } from '../probe.ts';
import { same, violated } from '../support/checks.ts';
import { owned, sampleInputs } from '../support/sample-run.ts';

/** A sum of 32 arguments, each with a factor of its own. */
const PROGRAM = 'args/many_32';
const EXECUTE = 'PJRT_LoadedExecutable_Execute';

/**
 * One of 32 arguments is withheld, each time another one: nothing is complete, and no output is ready, before it has come. The call may
 * wait for it, and then nothing is proven.
 */
export const lateArgument = probe('late-argument', {}, async (context) => {
  const executable = compileProgram(context, PROGRAM);
  const inputs = sampleInputs(PROGRAM);
  const ready = inputs.map((input) => startPut(context, input));
  for (const buffer of ready) buffer.awaitReady();
  const expected = fetchArray(
    context,
    run(context, executable.execute(context.arena, [ready], { events: true })).output,
  );
  let waits = false;
  for (const late of [0, 1, 2, 3, 15, 30, 31]) {
    const pending = makePending(context, 'manager', { data: inputs[late]! });
    const list = ready.with(late, pending.buffer!);
    let returned = false;
    const running = executable.executeAsync(context.arena, [list], { events: true }).finally(() => {
      returned = true;
    });
    // Of a refusal, after the argument has come.
    running.catch(() => {});
    await context.yieldToCalls();
    await untilItWaits();
    const begun = returned ? run(context, await running) : undefined;
    waits ||= !begun;
    const what = `argument ${late + 1} of ${inputs.length} has come`;
    try {
      if (begun?.event.isReady()) violated(`the execution is complete before ${what}`, EXECUTE, 'RUN-EVT-001');
      if (begun?.ready.isReady()) violated(`the output is ready before ${what}`, EXECUTE, 'BUF-RDY-001');
    } finally {
      await pending.complete();
    }
    const { output, event } = begun ?? run(context, await running);
    await event.awaitAsync();
    same(`the output, after ${what},`, expected, fetchArray(context, output), EXECUTE, 'RUN-BAS-007');
  }
  if (waits) throw new NotSupported('an execution waits for its arguments before it returns');
});

function run(context: CaseContext, made: Parameters<typeof owned>[1]) {
  const { outputs, events } = owned(context, made);
  const output = outputs[0]![0]!;
  return { output, event: events[0]!, ready: context.scope.own(output.readyEvent()) };
}
