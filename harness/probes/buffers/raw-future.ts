import { functionAt } from '../../ffi/function.ts';
import { POISON } from '../../pjrt/buffer.ts';
import { errorOfAsync } from '../../pjrt/errors.ts';
import { Event } from '../../pjrt/event.ts';
import { ifOffered, isHostLike, rawContents } from '../../steps/device-format.ts';
import { NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, hashed, option } from '../support.ts';
import { codeNumber, send } from './support.ts';

const CALL = 'PJRT_Buffer_CopyRawToHostFuture';
const MESSAGE = 'no destination today';

/**
 * A raw copy whose destination is named later. Nothing happens before the callback runs; then the event completes, with the
 * data, or with the error that the callback was given. Options: `fail` (error code), `delete` (the source is deleted first).
 */
export const rawFuture: Probe = async (context, options) => {
  const { api, arena, scope } = context;
  const fail = option<string | undefined>(options, 'fail', undefined);
  const data = hashed('f32', [16384]);
  const source = send(context, data, 'during-call').buffer;
  source.awaitReady();
  // Whole pages: whatever alignment a device wants.
  const [offset, size] = [4096, 8192];
  const whole = isHostLike(source, data.bytes.length) ? data.bytes : ifOffered(() => rawContents(context, source));
  if (!whole)
    throw new NotSupported(
      'device memory does not hold the bytes of the host array, and the plugin offers no way to read them',
    );
  const future = api.invoke(
    CALL,
    (call) => {
      call.setWord('buffer', source.pointer);
      call.setSize('offset', offset);
      call.setSize('transfer_size', size);
    },
    (call) => ({
      event: scope.own(new Event(api, call.word('event'))),
      data: call.word('callback_data'),
      run: call.word('future_ready_callback'),
    }),
  );
  if (future.run === 0n) broken('the callback that names the destination is NULL', CALL);
  if (future.event.isReady()) broken('the event is ready before a destination was named', CALL, 'BUF-RAW-004');
  if (option(options, 'delete', false)) source.delete();
  const room = arena.alloc(size + 64, 64);
  room.bytes.fill(POISON);
  const args = api.make(arena, 'PJRT_Buffer_CopyRawToHostFuture_Callback_Args');
  const view = args.at(0);
  view.setWord('callback_data', future.data);
  if (fail === undefined) view.setWord('dst', room.address);
  else {
    const text = arena.text(MESSAGE);
    view.setInt('error_code', codeNumber(context, fail));
    view.setWord('error_message', text.address);
    view.setSize('error_message_size', text.length);
  }
  context.instrument.native(`${CALL}.future_ready_callback`, () =>
    functionAt(future.run, 'void PjrtFutureReady(void* args)')(args.address),
  );
  const status = await errorOfAsync(future.event.awaitAsync());
  if (status?.codeName !== fail)
    broken(`the event ended in ${status?.codeName ?? 'OK'}, expected ${fail ?? 'OK'}`, CALL, 'BUF-RAW-005');
  if (fail !== undefined) {
    if (!status!.text.includes(MESSAGE)) broken('the error has lost its message', CALL, 'BUF-RAW-005');
    return;
  }
  if (whole.subarray(offset, offset + size).some((b, i) => room.bytes[i] !== b))
    broken('the destination does not hold the bytes asked for', CALL, 'BUF-RAW-004');
  if (room.bytes.subarray(size).some((b) => b !== POISON))
    broken('bytes behind the destination were written', CALL, 'BUF-RAW-004', 'pjrt.MemoryOverrun');
};
