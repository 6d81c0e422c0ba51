import type { CaseContext } from '../../steps/context.ts';
import { makePending } from '../../steps/pending.ts';
import { prepareInner } from '../../steps/recorded-callback.ts';
import { type Watch, watch } from '../../steps/watch.ts';
import { checks, type Run } from '../probe.ts';
import { hashed, violated } from '../support/checks.ts';
import { pendingVia } from '../support/pending-via.ts';
import { destroyAsync, send } from '../support/sending.ts';

// An event that goes away while its callbacks are outstanding still calls each of them once.

const TOKEN = 0x5eed1000n;
const DESTROY = 'PJRT_Event_Destroy';

const OPTIONS = { via: pendingVia };
type Check = Run<typeof OPTIONS>;

/** The event is destroyed before it completes. */
const eventDestroyedWhilePending: Check = async (context, { via }) => {
  const pending = makePending(context, via);
  const both = watchTwice(context, pending);
  await destroyAsync(pending.event, DESTROY, 'event');
  await pending.complete();
  for (const seen of both) noError(await once(context, seen));
};

/** The event of a transfer is destroyed right after the transfer was started. */
const eventDestroyedInFlight: Check = async (context) => {
  const { done, buffer } = send(context, hashed('f32', [1 << 18]), 'until-transfer-completes');
  const seen = watch(context, done, TOKEN);
  await destroyAsync(done, DESTROY, 'event');
  noError(await once(context, seen));
  buffer.awaitReady();
};

/** The event is destroyed by its callback. */
const eventDestroyedInCallback: Check = async (context, { via }) => {
  const pending = makePending(context, via);
  const { api, pointer } = pending.event;
  const destroy = prepareInner(api.calling(DESTROY, { event: pointer }));
  const seen = watch(context, pending.event, TOKEN, [destroy]);
  try {
    await pending.complete();
  } finally {
    pending.event.disown();
  }
  const firing = await once(context, seen);
  seen.result(destroy, 0);
  noError(firing);
};

/** What should complete the event goes away: it ends in an error. */
const eventAbandoned: Check = async (context, { via }) => {
  const pending = makePending(context, via);
  const both = watchTwice(context, pending);
  await pending.abandon();
  for (const seen of both) {
    if (!(await once(context, seen)).error)
      violated('the callback of an event that nothing completes got no error', DESTROY, undefined, CONTRACT);
  }
};

const CONTRACT = 'pjrt.CallbackContract';

const watchTwice = (context: CaseContext, { event }: ReturnType<typeof makePending>): Watch[] => [
  watch(context, event, TOKEN),
  watch(context, event, TOKEN + 1n),
];

type Firing = Watch['firings'][number];

async function once(context: CaseContext, seen: Watch): Promise<Firing> {
  const firing = await seen.first();
  await context.yieldToCalls();
  if (seen.firings.length !== 1)
    violated(`the callback of a destroyed event fired ${seen.firings.length} times`, DESTROY, undefined, CONTRACT);
  return firing;
}

function noError({ error }: Firing): void {
  if (error)
    violated(`the callback of a destroyed event got the error ${error.codeName}`, DESTROY, undefined, CONTRACT);
}

/** An event that goes away while its callbacks are outstanding still calls each of them once. */
export const eventDestroyed = checks('event-destroyed', OPTIONS, {
  'while-pending': eventDestroyedWhilePending,
  'in-flight': eventDestroyedInFlight,
  'in-callback': eventDestroyedInCallback,
  abandoned: eventAbandoned,
});
