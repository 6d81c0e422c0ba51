import { errorOfAsync, type PjrtError } from '../../pjrt/errors.ts';
import { makePending } from '../../steps/pending.ts';
import { number, optional, probe, text } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { pendingVia } from '../support/pending-via.ts';

const MESSAGE = 'seen by every waiter';
const ASKS = 3;
const AWAIT = 'PJRT_Event_Await';

/**
 * Threads that wait for one event all come back with its status, the event does not become unready again, and
 * PJRT_Event_Error says the same every time.
 */
export const eventWaiting = probe(
  'event-waiting',
  { via: pendingVia, waiters: optional(number, 2), fail: optional(text) },
  async (context, { via, waiters: count, fail }) => {
    context.api.demand(AWAIT);
    const pending = makePending(context, via);
    const { event } = pending;
    if (event.isReady()) violated('the event is ready before its work is done', 'PJRT_Event_IsReady');
    const waiters = Array.from({ length: count }, () => errorOfAsync(event.callAwaitAsync()));
    let back = 0;
    let missing: PjrtError | undefined;
    for (const w of waiters) {
      void w.then((status) => {
        back++;
        if (status?.codeName === 'UNIMPLEMENTED') missing = status;
      });
    }
    // Turns with native calls on this thread in between: a waiter that does not wait comes back in them.
    for (let i = 0; i < 20; i++) {
      if (event.isReady()) violated('the event is ready before its work is done', 'PJRT_Event_IsReady');
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (missing) throw missing;
    if (back > 0) violated('PJRT_Event_Await returned before the event was ready', AWAIT, 'EVT-AWT-001');
    if (fail === undefined) await pending.complete();
    else await pending.fail(fail, MESSAGE);
    const statuses = await Promise.all(waiters);
    // The answer of another thread may come at any time, so it is looked at again.
    const stub = statuses.find((status) => status?.codeName === 'UNIMPLEMENTED');
    if (stub) throw stub;
    for (const [i, status] of statuses.entries()) check(status, fail, `waiter ${i + 1}`, AWAIT, 'EVT-AWT-001');
    for (let i = 0; i < ASKS; i++) {
      if (!event.isReady()) violated('a completed event is not ready', 'PJRT_Event_IsReady', 'EVT-RDY-002');
      check(
        event.error(),
        fail,
        `question ${i + 1}`,
        'PJRT_Event_Error',
        fail === undefined ? 'EVT-ERR-001' : 'EVT-ERR-003',
      );
      check(await errorOfAsync(event.callAwaitAsync()), fail, `late waiter ${i + 1}`, AWAIT, 'EVT-AWT-002');
    }
  },
);

function check(
  status: PjrtError | undefined,
  expected: string | undefined,
  who: string,
  call: string,
  requirement: string,
): void {
  if (status?.codeName !== expected)
    violated(`${who} got ${status?.codeName ?? 'OK'}, expected ${expected ?? 'OK'}`, call, requirement);
  if (status && !status.text.includes(MESSAGE)) violated(`${who} got an error without its message`, call, requirement);
}
