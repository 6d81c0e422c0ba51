import { makePending } from '../../steps/pending.ts';
import type { Probe } from '../../steps/steps.ts';
import type { PendingVia } from '../../suite/types.ts';
import { broken, hashed, option } from '../support.ts';
import { destroyAsync, send, settle, watch } from './support.ts';

const TOKEN = 0x5eed1000n;

/**
 * An event that goes away while its callbacks are outstanding still calls each of them once. Options: `when`:
 * `pending` (destroyed before completion, `via` says how it completes), `in-flight` (right after a transfer was started),
 * `in-callback` (by the callback itself), `abandoned` (its completion never comes: it must end in an error).
 */
export const eventDestroyedEarly: Probe = async (context, options) => {
  const when = option<string>(options, 'when', 'pending');
  if (when === 'in-flight') {
    const { done, buffer } = send(context, hashed('f32', [1 << 18]), 'until-transfer-completes');
    const seen = watch(context, done, TOKEN);
    await destroyAsync(done, 'PJRT_Event_Destroy', 'event');
    await once(context, seen, undefined);
    buffer.awaitReady();
    return;
  }
  const pending = makePending(context, option<PendingVia>(options, 'via', 'manager'));
  const { event } = pending;
  const seen = watch(context, event, TOKEN, () => {
    if (when === 'in-callback') event.destroy();
  });
  const other = when === 'in-callback' ? undefined : watch(context, event, TOKEN + 1n);
  if (when === 'pending') await destroyAsync(event, 'PJRT_Event_Destroy', 'event');
  if (when === 'abandoned') await pending.abandon();
  else await pending.complete();
  await once(context, seen, when === 'abandoned' ? 'any' : undefined);
  if (other) await once(context, other, when === 'abandoned' ? 'any' : undefined);
};

async function once(
  context: Parameters<Probe>[0],
  seen: ReturnType<typeof watch>,
  error: 'any' | undefined,
): Promise<void> {
  const firing = await seen.first;
  await settle(context);
  const call = 'PJRT_Event_Destroy';
  const type = 'pjrt.CallbackContract';
  if (seen.firings.length !== 1)
    broken(`the callback of a destroyed event fired ${seen.firings.length} times`, call, undefined, type);
  if (error === undefined && firing.error)
    broken(`the callback of a destroyed event got the error ${firing.error.codeName}`, call, undefined, type);
  if (error === 'any' && !firing.error)
    broken('the callback of an event that nothing completes got no error', call, 'EVT-SET-004', type);
}
