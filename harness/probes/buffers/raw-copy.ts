import { POISON } from '../../pjrt/buffer.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { Event } from '../../pjrt/event.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, hashed, option, send, statusOf } from './support.ts';

const CALL = 'PJRT_Buffer_CopyRawToHost';

/**
 * Copies a range of a buffer's device memory. Options: `count` bytes of the buffer in fours; `offset`; `size`: a number,
 * `all`, or `rest`; `refused`: the range lies outside, and the call or its event must say so. The contents are compared
 * where the device holds no more than the array.
 */
export const rawCopy: Probe = async (context, options) => {
  const { api, arena, scope } = context;
  const data = hashed('u8', [4 * option(options, 'count', 32)]);
  const { buffer } = send(context, data, 'during-call');
  buffer.awaitReady();
  const whole = buffer.onDeviceSize();
  const offset = option(options, 'offset', 0);
  const asked = option<number | string>(options, 'size', 'all');
  const size = typeof asked === 'number' ? asked : asked === 'rest' ? data.bytes.length - offset : whole;
  const room = arena.alloc(size + 64, 64);
  room.bytes.fill(POISON);
  let status: PjrtError | undefined;
  try {
    const event = api.invoke(
      CALL,
      (call) => {
        call.setWord('buffer', buffer.pointer);
        call.setWord('dst', room.address);
        call.setWord('offset', BigInt.asUintN(64, BigInt(offset)));
        call.setSize('transfer_size', size);
      },
      (call) => scope.own(new Event(api, call.word('event'))),
    );
    status = await statusOf(event);
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
    status = error;
  }
  if (option(options, 'refused', false) && offset + size > whole === false && offset >= 0) return;
  if (option(options, 'refused', false)) {
    if (!status) broken(`${size} bytes at ${offset} of a buffer of ${whole} bytes were copied`, CALL, 'BUF-RAW-002');
    if (room.bytes.some((b) => b !== POISON))
      broken('a copy that failed wrote to its destination', CALL, 'BUF-RAW-002');
    return;
  }
  if (status) throw status;
  if (room.bytes.subarray(size).some((b) => b !== POISON))
    broken(`bytes behind the ${size} bytes asked for were written`, CALL, undefined, 'pjrt.MemoryOverrun');
  if (whole !== data.bytes.length) return;
  if (data.bytes.subarray(offset, offset + size).some((b, i) => room.bytes[i] !== b))
    broken(`the ${size} bytes at ${offset} are not those of the array`, CALL, 'BUF-RAW-001');
};
