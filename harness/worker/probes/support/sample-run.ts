import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { loadProgram } from '../../../knowledge/programs/programs.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import type { ExecuteOptions, LoadedExecutable } from '../../pjrt/executable.ts';
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
  const run = executable.execute(context.arena, [args], { events: true, ...options });
  for (const output of run.outputs[0]!) context.scope.own(output);
  for (const event of run.events) context.scope.own(event).await();
  return run.outputs[0]!;
}
