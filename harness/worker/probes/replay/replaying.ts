import { isExtensionFunction } from '../../../knowledge/abi/index.ts';
import type { Trace } from '../../../knowledge/trace/open-trace.ts';
import type { RecordedSession } from '../../../knowledge/trace/sessions.ts';
import { Buffer as DeviceBuffer } from '../../pjrt/buffer.ts';
import type { Call } from '../../pjrt/call.ts';
import { AbsentError, PjrtError } from '../../pjrt/errors.ts';
import { Event } from '../../pjrt/event.ts';
import { PluginExtension } from '../../pjrt/extension-call.ts';
import type { CaseContext } from '../../steps/context.ts';
import type { SessionObjects } from './session-objects.ts';
import type { Tally } from './tally.ts';

/** What the parts of a replay share. */
export interface Replaying {
  context: CaseContext;
  trace: Trace;
  session: RecordedSession;
  objects: SessionObjects;
  tally: Tally;
}

/** An argument block of a function, also of an extension. `finish` gives it back. @throws AbsentError */
export function beginCall({ api }: CaseContext, name: string): Call {
  if (!isExtensionFunction(name)) return api.begin(name);
  const [extension, slot] = name.split('.') as [string, string];
  const found = PluginExtension.find(api, extension);
  if (typeof found === 'string') throw new AbsentError(name, 'not in this version', found);
  return found.begin(slot);
}

/** The block of an extension's function stays with it. */
export function finishCall({ api }: CaseContext, name: string, call: Call): void {
  if (!isExtensionFunction(name)) api.finish(call);
}

/** The error that something throws, if the plugin has returned it. */
export function errorFrom(run: () => void): PjrtError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof PjrtError) return error;
    throw error;
  }
}

/** Waits for a recorded event, if it is there. @returns the error in which it ended */
export function awaitEvent({ context, objects }: Replaying, address: bigint): PjrtError | undefined {
  if (!objects.has('PJRT_Event', address)) return undefined;
  const event = new Event(context.api, objects.pointer('PJRT_Event', address));
  event.keep();
  return errorFrom(() => event.await());
}

/** Whether a recorded event is ready; undefined if it is not there. */
export function isReady({ context, objects }: Replaying, address: bigint): boolean | undefined {
  if (!objects.has('PJRT_Event', address)) return undefined;
  const event = objects.pointer('PJRT_Event', address);
  return context.api.invoke('PJRT_Event_IsReady', { event }, (call) => call.byte('is_ready') !== 0);
}

/** The buffer at a recorded address. @throws Unresolved */
export function bufferAt({ context, objects }: Replaying, address: bigint): DeviceBuffer {
  const buffer = new DeviceBuffer(context.api, objects.pointer('PJRT_Buffer', address));
  buffer.keep();
  return buffer;
}
