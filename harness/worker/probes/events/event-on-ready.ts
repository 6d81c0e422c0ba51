import { errorOfAsync } from '../../pjrt/errors.ts';
import type { Event } from '../../pjrt/event.ts';
import type { CaseContext } from '../../steps/context.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import { makePending } from '../../steps/pending.ts';
import { type Watch, watch } from '../../steps/watch.ts';
import { number, optional, probe, text, type Values } from '../probe.ts';
import { hashed } from '../support/checks.ts';
import { pendingVia } from '../support/pending-via.ts';
import { send } from '../support/sending.ts';

// Callbacks on one event: each fires exactly once, with its own token and the event's status.

const TOKEN = 0x5eed0000n;
const MESSAGE = 'as the harness wants it';

/** How many callbacks are registered. */
const COUNT = { count: optional(number, 3) };
/** The same, and how the event completes. */
const PENDING = { ...COUNT, via: pendingVia };

/** Callbacks on the event of a transfer that was just started. */
export const eventOnReady = probe('event-on-ready', COUNT, async (context, { count }) => {
  const event = eventOfTransfer(context);
  await firedOnce(context, event, register(context, event, count));
});

/** Callbacks on an event that is ready. */
export const eventOnReadyWhenReady = probe('event-on-ready-when-ready', COUNT, async (context, { count }) => {
  const event = eventOfTransfer(context);
  event.await();
  await firedOnce(context, event, register(context, event, count));
});

/** Callbacks on a pending event fire when it completes, and not before. */
export const eventOnReadyWhenPending = probe('event-on-ready-when-pending', PENDING, async (context, options) => {
  const { pending, watches } = registerPending(context, options);
  await pending.complete();
  await firedOnce(context, pending.event, watches);
});

/** Callbacks on a pending event that ends in an error. */
export const eventOnReadyWithError = probe(
  'event-on-ready-with-error',
  { ...PENDING, fail: text },
  async (context, { fail: code, ...options }) => {
    const { pending, watches } = registerPending(context, options);
    await pending.fail(code, MESSAGE);
    await firedOnce(context, pending.event, watches, code);
  },
);

const eventOfTransfer = (context: CaseContext): Event =>
  context.scope.own(send(context, hashed('f32', [65536]), 'during-call').buffer.readyEvent());

const register = (context: CaseContext, event: Event, count: number): Watch[] =>
  Array.from({ length: count }, (_, i) => watch(context, event, TOKEN + BigInt(i)));

function registerPending(
  context: CaseContext,
  { count, via }: Values<typeof PENDING>,
): { pending: ReturnType<typeof makePending>; watches: Watch[] } {
  const pending = makePending(context, via);
  const watches = register(context, pending.event, count);
  // What ends by itself may have ended meanwhile.
  if (watches.some((w) => w.firings.length > 0) && !pending.event.isReady())
    throw fault('a callback fired before the event was ready');
  return { pending, watches };
}

/** @param code of the error that each callback must get */
async function firedOnce(context: CaseContext, event: Event, watches: readonly Watch[], code?: string): Promise<void> {
  await Promise.all(watches.map((w) => w.first()));
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
