import type { HostArray } from '../../numerics/array.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import type { ExecuteOptions, LoadedExecutable } from '../../pjrt/executable.ts';
import type { CaseContext } from '../../steps/context.ts';
import { startPut } from '../../steps/transfer.ts';

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
