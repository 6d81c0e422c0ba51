import { fromBytes } from '../../numerics/array.ts';
import { hostDestination } from '../../pjrt/buffer.ts';
import { Event } from '../../pjrt/event.ts';
import type { Probe } from '../../steps/steps.ts';
import { makePending, type Via } from './pending.ts';
import { broken, destroyAsync, hashed, option, same, send, statusOf } from './support.ts';

const CALL = 'PJRT_Buffer_ToHostBuffer';

/**
 * A copy to the host that is under way when its source goes away, or that was asked for before the source had its
 * contents, still delivers everything. Options: `end`: `none`, `delete` or `destroy`, right after the copy was asked for;
 * `via`: how the source gets its contents afterwards (default: it has them already); `fail`: it gets an error instead.
 */
export const readThenEnd: Probe = async (context, options) => {
  const end = option<string>(options, 'end', 'none');
  const via = option<Via | undefined>(options, 'via', undefined);
  const fail = option<string | undefined>(options, 'fail', undefined);
  const pending = via === undefined ? undefined : makePending(context, via);
  const data = pending?.data ?? hashed('f32', option(options, 'shape', [1 << 18]));
  const buffer = pending?.buffer ?? send(context, data, 'until-transfer-completes').buffer;
  const room = hostDestination(context.arena, data.bytes.length);
  const event = context.scope.own(
    await context.api.invokeAsync(
      CALL,
      (call) => {
        call.setWord('src', buffer.pointer);
        call.setWord('dst', room.address);
        call.setSize('dst_size', data.bytes.length);
      },
      (call) => new Event(context.api, call.word('event')),
    ),
  );
  if (pending && event.isReady()) broken('a copy is ready before its source has any contents', CALL, 'BUF-D2H-009');
  if (end === 'delete') {
    await context.api.invokeAsync('PJRT_Buffer_Delete', (call) => call.setWord('buffer', buffer.pointer));
    if (!buffer.isDeleted()) broken('a buffer is not deleted after Delete', 'PJRT_Buffer_IsDeleted', 'BUF-DEL-005');
  }
  if (end === 'destroy') await destroyAsync(buffer, 'PJRT_Buffer_Destroy', 'buffer');
  if (fail === undefined) await pending?.complete();
  else await pending?.fail(fail, 'the source failed');
  const status = await statusOf(event);
  if (fail !== undefined) {
    if (!status) broken('a copy of a failed buffer ended without an error', CALL, 'BUF-D2H-010');
    if (status.codeName !== fail || !status.text.includes('the source failed'))
      broken(
        `a copy of a failed buffer ended in ${status.codeName}, with another message or code`,
        CALL,
        'BUF-D2H-010',
      );
    return;
  }
  if (status) broken(`the copy ended in ${status.codeName}`, CALL);
  same('the copy', data, fromBytes(data.dtype, data.shape, room.bytes.slice(0, data.bytes.length)), CALL);
};
