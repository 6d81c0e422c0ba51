import { errorOfAsync, PjrtError } from '../../pjrt/errors.ts';
import { Event } from '../../pjrt/event.ts';
import { number, optional, probe } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { codeNumber } from '../support/sending.ts';

const SET = 'PJRT_Event_Set';

/** An event is set to an error code that does not exist: refused, or the event ends in some error. Option: `code`. */
export const eventOddCode = probe('event-odd-code', { code: optional(number, 77) }, async (context, { code }) => {
  const { api, arena, scope } = context;
  const event = scope.own(Event.create(api));
  const message = arena.text('odd');
  const set = (code: number): void =>
    api.invoke(SET, (call) => {
      call.setWord('event', event.pointer);
      call.setInt('error_code', code);
      call.setWord('error_message', message.address);
      call.setSize('error_message_size', message.length);
    });
  try {
    set(code);
  } catch (error) {
    if (!(error instanceof PjrtError) || error.codeName === 'UNIMPLEMENTED') throw error;
    // It was refused, so that the event is still to be set; one that was set must not be set again.
    set(codeNumber(context, 'INTERNAL'));
  }
  if (!(await errorOfAsync(event.awaitAsync())))
    violated('an event that was set with an error became ready without one', SET);
});
