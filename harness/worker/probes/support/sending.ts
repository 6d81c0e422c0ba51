import type { HostArray } from '../../../knowledge/numerics/array.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import { type HostSource, SEMANTICS } from '../../pjrt/client.ts';
import type { Event } from '../../pjrt/event.ts';
import type { Handle } from '../../pjrt/handle.ts';
import type { Memory } from '../../pjrt/memory.ts';
import type { CaseContext } from '../../steps/context.ts';

/** Default memory of the first addressable device. */
export const defaultMemory = (context: CaseContext): Memory => context.client.firstDevice().defaultMemory();

/** A host array in native memory, for the first addressable device. */
export const hostSource = (
  { arena, client }: CaseContext,
  array: HostArray,
  semantics: keyof typeof SEMANTICS,
): HostSource => ({
  data: arena.input(array.bytes).address,
  type: array.dtype.enumValue,
  dims: array.shape,
  semantics: SEMANTICS[semantics],
  device: client.firstDevice().pointer,
});

/** A host array in native memory on its way to a device; nothing is waited for. The case owns buffer and event. */
export function send(
  context: CaseContext,
  array: HostArray,
  semantics: keyof typeof SEMANTICS,
  more: Partial<HostSource> = {},
): { buffer: Buffer; done: Event } {
  const source = { ...hostSource(context, array, semantics), ...more };
  const { buffer, done } = context.client.bufferFromHost(context.arena, source);
  context.scope.own(buffer);
  context.scope.own(done);
  return { buffer, done };
}

/** Number of an error code by its name without the prefix. */
export const codeNumber = (context: CaseContext, name: string): number =>
  context.api.abi.enumValues('PJRT_Error_Code').get(`PJRT_Error_Code_${name}`)!;

/** Destroys a handle on another thread: callbacks may run meanwhile. */
export async function destroyAsync(handle: Handle, fn: string, argument: string): Promise<void> {
  if (handle.destroyed) return;
  handle.disown();
  await handle.api.invokeAsync(fn, (call) => call.setWord(argument, handle.pointer));
}
