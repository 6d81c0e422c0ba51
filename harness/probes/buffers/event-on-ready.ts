import { errorOfAsync } from '../../pjrt/errors.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import { makePending } from '../../steps/pending.ts';
import type { Probe } from '../../steps/steps.ts';
import type { PendingVia } from '../../suite/types.ts';
import { hashed, option } from '../support.ts';
import { send, settle, watch } from './support.ts';

const TOKEN = 0x5eed0000n;

/**
 * Callbacks on one event: each fires exactly once, with its own token and the event's status.
 * Options: `count` registrations; `when`: `any` (right after a transfer was started), `ready`, `pending`;
 * for `pending`: `via`, and `fail` with an error code.
 */
export const eventOnReady: Probe = async (context, options) => {
  const count = option(options, 'count', 3);
  const when = option<string>(options, 'when', 'any');
  const fail = option<string | undefined>(options, 'fail', undefined);
  const pending = when === 'pending' ? makePending(context, option<PendingVia>(options, 'via', 'manager')) : undefined;
  const event =
    pending?.event ?? context.scope.own(send(context, hashed('f32', [65536]), 'during-call').buffer.readyEvent());
  if (when === 'ready') event.await();
  const watches = Array.from({ length: count }, (_, i) => watch(context, event, TOKEN + BigInt(i)));
  if (pending && watches.some((w) => w.firings.length > 0)) throw fault('a callback fired before the event was ready');
  if (fail === undefined) await pending?.complete();
  else await pending?.fail(fail, 'as the harness wants it');
  await Promise.all(watches.map((w) => w.first));
  await errorOfAsync(event.awaitAsync());
  await settle(context);
  watches.forEach((w, i) => {
    if (w.firings.length !== 1) throw fault(`callback ${i} of ${count} fired ${w.firings.length} times`);
    const { token, error } = w.firings[0]!;
    if (token !== TOKEN + BigInt(i)) throw fault(`callback ${i} of ${count} got another user argument than its own`);
    if (error?.codeName !== fail)
      throw fault(`callback ${i} of ${count} got ${error?.codeName ?? 'no error'}, expected ${fail ?? 'none'}`);
    if (error && !error.text.includes('as the harness wants it'))
      throw fault(`the error that callback ${i} of ${count} got has lost its message`);
  });
};

const fault = (message: string) =>
  new CheckFailure({ type: 'pjrt.CallbackContract', message, call: 'PJRT_Event_OnReady' });
