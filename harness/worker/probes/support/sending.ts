import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { callback } from '../../ffi/function.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import { type HostSource, SEMANTICS } from '../../pjrt/client.ts';
import type { PjrtError } from '../../pjrt/errors.ts';
import type { Event } from '../../pjrt/event.ts';
import type { Handle } from '../../pjrt/handle.ts';
import type { Memory } from '../../pjrt/memory.ts';
import type { CaseContext } from '../../steps/context.ts';

/** Default memory of the first addressable device. */
export const defaultMemory = (context: CaseContext): Memory => context.client.addressableDevices()[0]!.defaultMemory();

/** A host array in native memory on its way to a device; nothing is waited for. The case owns buffer and event. */
export function send(
  context: CaseContext,
  array: HostArray,
  semantics: keyof typeof SEMANTICS,
  more: Partial<HostSource> = {},
): { buffer: Buffer; done: Event } {
  const host = context.arena.input(array.bytes);
  const { buffer, done } = context.client.bufferFromHost(context.arena, {
    data: host.address,
    type: array.dtype.enumValue,
    dims: array.shape,
    semantics: SEMANTICS[semantics],
    device: context.client.addressableDevices()[0]!.pointer,
    ...more,
  });
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

interface Firing {
  token: bigint;
  error: PjrtError | undefined;
}

/** What an OnReady registration has seen so far. */
export interface Watch {
  firings: Firing[];
  first: Promise<Firing>;
}

/**
 * Registers an OnReady callback whose trampoline stays until the case ends, so that a second firing is seen instead of
 * jumping into freed code.
 * @param during runs inside the callback; what it throws comes out of `first`
 */
export function watch(context: CaseContext, event: Event, token: bigint, during: () => void = () => {}): Watch {
  const { api } = context;
  const firings: Firing[] = [];
  // A case that ends early destroys what `during` would use; an abandoned event may call back even then.
  let over = false;
  let resolve!: (firing: Firing) => void;
  let reject!: (cause: unknown) => void;
  const first = new Promise<Firing>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  const registered = callback(
    'void PjrtOnReady(void* error, void* user)',
    (error: bigint | null, user: bigint | null) => {
      try {
        const firing = {
          token: user ?? 0n,
          error: error === null ? undefined : api.takeError(error, 'PJRT_Event_OnReady'),
        };
        if (over) return;
        firings.push(firing);
        during();
        resolve(firing);
      } catch (cause) {
        reject(cause);
      }
    },
  );
  // One that was never called may still be: then it stays.
  context.scope.defer(() => {
    over = true;
    if (firings.length > 0) registered.release();
  });
  api.invoke('PJRT_Event_OnReady', (call) => {
    call.setWord('event', event.pointer);
    call.setWord('callback', registered.address);
    call.setWord('user_arg', token);
  });
  return { firings, first };
}
