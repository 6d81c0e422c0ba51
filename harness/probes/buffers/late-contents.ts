import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { makePending, type Via } from './pending.ts';
import { broken, option, same, statusOf } from './support.ts';

const MESSAGE = 'there is nothing to be had';

/**
 * A buffer that was returned before it had contents becomes ready with them, or with the error that it was given; the
 * error's message only had to live during the call. Options: `via` (`alias` or `manager`), `fail` (error code), `abandon`
 * (what would fill the buffer is destroyed instead).
 */
export const lateContents: Probe = async (context, options) => {
  const pending = makePending(context, option<Via>(options, 'via', 'alias'));
  const fail = option<string | undefined>(options, 'fail', undefined);
  const buffer = pending.buffer!;
  const call = 'PJRT_Buffer_ReadyEvent';
  if (pending.event.isReady()) broken('a buffer without contents is ready', call);
  if (buffer.dimensions().join() !== pending.data.shape.join())
    broken('a buffer without contents has other dimensions than were asked for', 'PJRT_Buffer_Dimensions');
  if (option(options, 'abandon', false)) await pending.abandon();
  else if (fail !== undefined) await pending.fail(fail, MESSAGE);
  else await pending.complete();
  for (const event of [pending.event, context.scope.own(buffer.readyEvent())]) {
    const status = await statusOf(event);
    if (option(options, 'abandon', false)) {
      if (!status) broken('a buffer that never got its contents became ready without an error', call);
    } else {
      if (status?.codeName !== fail)
        broken(`the buffer's ready event ended in ${status?.codeName ?? 'OK'}, expected ${fail ?? 'OK'}`, call);
      if (status && !status.text.includes(MESSAGE)) broken("the buffer's error has lost its message", call);
    }
  }
  if (fail === undefined && !option(options, 'abandon', false))
    same('the buffer', pending.data, fetchArray(context, buffer), 'PJRT_Buffer_ToHostBuffer');
};
