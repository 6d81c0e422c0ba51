import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { loadProgram } from '../../../knowledge/programs/programs.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import type { ExecuteOptions, Execution, LoadedExecutable } from '../../pjrt/executable.ts';
import type { CaseContext } from '../../steps/context.ts';
import { programInputs } from '../../steps/program.ts';
import { startPut } from '../../steps/transfer.ts';

/** Inputs of the right types and shapes for a committed program, a different one for each parameter. */
export function sampleInputs(program: string): HostArray[] {
  return programInputs(loadProgram(program));
}

/** Sends the inputs, runs once, waits, and gives the outputs; the case's scope owns all of it. */
export function runOnce(
  context: CaseContext,
  executable: LoadedExecutable,
  inputs: readonly HostArray[],
  options: ExecuteOptions = {},
): Buffer[] {
  const args = inputs.map((input) => startPut(context, input));
  const run = start(context, executable, [args], options);
  for (const event of run.events) event.await();
  return run.outputs[0]!;
}

/** Starts an execution with completion events; the case's scope owns what it makes. @throws PjrtError */
export const start = (
  context: CaseContext,
  executable: LoadedExecutable,
  lists: readonly (readonly Buffer[])[],
  options: ExecuteOptions = {},
): Execution => owned(context, executable.execute(context.arena, lists, { events: true, ...options }));

/** Gives what an execution has made to the case's scope. */
export function owned(context: CaseContext, run: Execution): Execution {
  for (const handle of [...run.outputs.flat(), ...run.events]) context.scope.own(handle);
  return run;
}
