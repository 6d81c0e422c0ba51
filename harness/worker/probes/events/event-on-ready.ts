import type { PendingVia } from '../../../suite/types.ts';
import { errorOfAsync } from '../../pjrt/errors.ts';
import type { Event } from '../../pjrt/event.ts';
import type { CaseContext } from '../../steps/context.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import { makePending } from '../../steps/pending.ts';
import type { Probe } from '../../steps/steps.ts';
import { hashed, option } from '../support/checks.ts';
import { send, type Watch, watch } from '../support/sending.ts';

// Callbacks on one event: each fires exactly once, with its own token and the event's status. Options of all: `count`
// registrations.

const TOKEN = 0x5eed0000n;
const MESSAGE = 'as the harness wants it';

type Options = Parameters<Probe>[1];

/** Callbacks on the event of a transfer that was just started. */
export const eventOnReady: Probe = async (context, options) => {
  const event = eventOfTransfer(context);
  await firedOnce(context, event, register(context, event, options));
};

/** Callbacks on an event that is ready. */
export const eventOnReadyWhenReady: Probe = async (context, options) => {
  const event = eventOfTransfer(context);
  event.await();
  await firedOnce(context, event, register(context, event, options));
};

/** Callbacks on a pending event fire when it completes, and not before. Options: `via`: how it completes. */
export const eventOnReadyWhenPending: Probe = async (context, options) => {
  const { pending, watches } = registerPending(context, options);
  await pending.complete();
  await firedOnce(context, pending.event, watches);
};

/** Callbacks on a pending event that ends in an error. Options: `via`: how it ends; `fail`: the error code. */
export const eventOnReadyWithError: Probe = async (context, options) => {
  const { pending, watches } = registerPending(context, options);
  const code = String(options.fail);
  await pending.fail(code, MESSAGE);
  await firedOnce(context, pending.event, watches, code);
};

const eventOfTransfer = (context: CaseContext): Event =>
  context.scope.own(send(context, hashed('f32', [65536]), 'during-call').buffer.readyEvent());

const register = (context: CaseContext, event: Event, options: Options): Watch[] =>
  Array.from({ length: option(options, 'count', 3) }, (_, i) => watch(context, event, TOKEN + BigInt(i)));

function registerPending(
  context: CaseContext,
  options: Options,
): { pending: ReturnType<typeof makePending>; watches: Watch[] } {
  const pending = makePending(context, option<PendingVia>(options, 'via', 'manager'));
  const watches = register(context, pending.event, options);
  if (watches.some((w) => w.firings.length > 0)) throw fault('a callback fired before the event was ready');
  return { pending, watches };
}

/** @param code of the error that each callback must get */
async function firedOnce(context: CaseContext, event: Event, watches: readonly Watch[], code?: string): Promise<void> {
  await Promise.all(watches.map((w) => w.first));
  await errorOfAsync(event.awaitAsync());
  await context.yieldToCalls();
  const count = watches.length;
  watches.forEach((w, i) => {
    if (w.firings.length !== 1) throw fault(`callback ${i} of ${count} fired ${w.firings.length} times`);
    const { token, error } = w.firings[0]!;
    if (token !== TOKEN + BigInt(i)) throw fault(`callback ${i} of ${count} got another user argument than its own`);
    if (error?.codeName !== code)
      throw fault(`callback ${i} of ${count} got ${error?.codeName ?? 'no error'}, expected ${code ?? 'none'}`);
    if (error && !error.text.includes(MESSAGE))
      throw fault(`the error that callback ${i} of ${count} got has lost its message`);
  });
}

const fault = (message: string) =>
  new CheckFailure({ type: 'pjrt.CallbackContract', message, call: 'PJRT_Event_OnReady' });
