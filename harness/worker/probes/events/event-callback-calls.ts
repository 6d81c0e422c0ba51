import { makePending } from '../../steps/pending.ts';
import { prepareInner } from '../../steps/recorded-callback.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { Watch, watch } from '../../steps/watch.ts';
import { probe } from '../probe.ts';
import { hashed, same, violated } from '../support/checks.ts';
import { pendingVia } from '../support/pending-via.ts';
import { hostSource, send } from '../support/sending.ts';

/**
 * A callback may call back into the plugin: queries, a transfer, another registration on the same event, a Delete. None of
 * them waits, because the thread that runs the callback may be the one that would have to do the work.
 */
export const eventCallbackCalls = probe('event-callback-calls', { via: pendingVia }, async (context, { via }) => {
  const { api, client, scope, arena } = context;
  const pending = makePending(context, via);
  const { event } = pending;
  const data = hashed('f32', [7], 9);
  const victim = send(context, data, 'during-call').buffer;
  const nested = new Watch(context);
  const ready = prepareInner(
    api.calling('PJRT_Event_IsReady', { event: event.pointer }, (call) => call.byte('is_ready')),
  );
  const made = prepareInner(client.sending(arena, hostSource(context, data, 'during-call')));
  const others = [
    prepareInner(api.calling('PJRT_Client_PlatformName', { client: client.pointer })),
    prepareInner(api.calling('PJRT_Client_Devices', { client: client.pointer })),
    prepareInner(nested.registering(event, 0x5eed2001n)),
    prepareInner(api.calling('PJRT_Buffer_Delete', { buffer: victim.pointer })),
  ];
  const seen = watch(context, event, 0x5eed2000n, [ready, made, ...others]);
  await pending.complete();
  await seen.first();
  await nested.first();
  await context.yieldToCalls();
  const isReady = seen.result(ready, 0);
  const { buffer, done } = seen.result(made, 1);
  scope.own(buffer);
  scope.own(done);
  others.forEach((call, i) => void seen.result(call, 2 + i));
  if (isReady === 0) violated('an event is not ready inside its own callback', 'PJRT_Event_IsReady');
  if (nested.firings.length !== 1)
    violated(`a callback registered inside a callback fired ${nested.firings.length} times`, 'PJRT_Event_OnReady');
  if (!victim.isDeleted()) violated('a Delete inside a callback had no effect', 'PJRT_Buffer_Delete');
  same('a buffer made inside a callback', data, fetchArray(context, buffer), 'PJRT_Client_BufferFromHostBuffer');
});
