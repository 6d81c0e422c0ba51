import type { Buffer } from '../../pjrt/buffer.ts';
import { makePending } from '../../steps/pending.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { probe } from '../probe.ts';
import { hashed, same, violated } from '../support/checks.ts';
import { pendingVia } from '../support/pending-via.ts';
import { send, type Watch, watch } from '../support/sending.ts';

/**
 * A callback may call back into the plugin: queries, a transfer, another registration on the same event, a Delete. None of
 * them waits, because the thread that runs the callback may be the one that would have to do the work.
 */
export const eventCallbackCalls = probe('event-callback-calls', { via: pendingVia }, async (context, { via }) => {
  const pending = makePending(context, via);
  const { event } = pending;
  const data = hashed('f32', [7], 9);
  let made: Buffer | undefined;
  let nested: Watch | undefined;
  let ready: boolean | undefined;
  const victim = send(context, data, 'during-call').buffer;
  const seen = watch(context, event, 0x5eed2000n, () => {
    context.client.platformName();
    context.client.devices();
    ready = event.isReady();
    nested = watch(context, event, 0x5eed2001n);
    made = send(context, data, 'during-call').buffer;
    victim.delete();
  });
  await pending.complete();
  await seen.first;
  await nested!.first;
  await context.yieldToCalls();
  if (ready !== true) violated('an event is not ready inside its own callback', 'PJRT_Event_IsReady');
  if (nested!.firings.length !== 1)
    violated(`a callback registered inside a callback fired ${nested!.firings.length} times`, 'PJRT_Event_OnReady');
  if (!victim.isDeleted()) violated('a Delete inside a callback had no effect', 'PJRT_Buffer_Delete');
  same('a buffer made inside a callback', data, fetchArray(context, made!), 'PJRT_Client_BufferFromHostBuffer');
});
