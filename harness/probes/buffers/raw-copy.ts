import { POISON } from '../../pjrt/buffer.ts';
import { errorOfAsync, PjrtError } from '../../pjrt/errors.ts';
import type { CaseContext } from '../../steps/context.ts';
import { isHostLike, rawContents, startRawCopy } from '../../steps/device-format.ts';
import { refusal } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, hashed, option } from '../support.ts';
import { send } from './support.ts';

const CALL = 'PJRT_Buffer_CopyRawToHost';

/**
 * Copies a range of a buffer's device memory. What is there is the device's own affair: a range is compared with the whole,
 * and the whole with the array only where the buffer is on the CPU. Options: `count` bytes of the array in fours; `offset`,
 * from 4 * `count` on counted from the end of the device memory; `size`: a number, `all`, or `rest`; `refused`: the range
 * lies outside, and the call or its event must say so; `aligned`: no alignment can be a reason to refuse it.
 */
export const rawCopy: Probe = async (context, options) => {
  const { arena } = context;
  const count = 4 * option(options, 'count', 32);
  const data = hashed('u8', [count]);
  const { buffer } = send(context, data, 'during-call');
  buffer.awaitReady();
  const whole = rawContents(context, buffer);
  if (isHostLike(buffer, data.bytes.length)) {
    if (Buffer.compare(whole, data.bytes) !== 0)
      broken('the raw bytes are not those of the array', CALL, 'BUF-RAW-001');
  } else checkDistinct(context, whole, count);
  const asked = option<number | string>(options, 'size', 'all');
  const from = option(options, 'offset', 0);
  const refused = option(options, 'refused', false);
  const offset = from >= count ? from - count + whole.length : from;
  // A range that reaches beyond the array by so much reaches beyond the device memory by as much.
  const grown = refused && from > 0 && from < count ? whole.length - count : 0;
  const size = typeof asked === 'number' ? asked + grown : asked === 'rest' ? whole.length - offset : whole.length;
  const room = arena.alloc(size + 64, 64);
  room.bytes.fill(POISON);
  let status: PjrtError | undefined;
  try {
    status = await errorOfAsync(
      context.scope.own(startRawCopy(context, buffer, room.address, offset, size)).awaitAsync(),
    );
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
    status = error;
  }
  if (refused) {
    if (!status)
      broken(`${size} bytes at ${offset} of a buffer of ${whole.length} bytes were copied`, CALL, 'BUF-RAW-002');
    if (room.bytes.some((b) => b !== POISON))
      broken('a copy that failed wrote to its destination', CALL, 'BUF-RAW-002');
    return;
  }
  // Nothing at the very beginning has every alignment.
  const aligned = option(options, 'aligned', false) || (size === 0 && offset === 0);
  if (status && aligned) throw status;
  if (status) throw refusal(status, `a raw copy of ${size} bytes at ${offset} is refused, maybe for their alignment`);
  if (room.bytes.subarray(size).some((b) => b !== POISON))
    broken(`bytes after the ${size} bytes asked for were written`, CALL, undefined, 'pjrt.MemoryOverrun');
  if (Buffer.compare(room.bytes.subarray(0, size), whole.subarray(offset, offset + size)) !== 0)
    broken(`the ${size} bytes at ${offset} differ from those in a copy of the whole`, CALL, 'BUF-RAW-001');
};

/** Two arrays cannot have the same raw bytes, and one array cannot have others the second time, in whatever format. */
function checkDistinct(context: CaseContext, whole: Uint8Array, count: number): void {
  const other = send(context, hashed('u8', [count], 2), 'during-call').buffer;
  const again = send(context, hashed('u8', [count]), 'during-call').buffer;
  other.awaitReady();
  again.awaitReady();
  if (Buffer.compare(whole, rawContents(context, other)) === 0)
    broken('two buffers with different arrays have the same raw bytes', CALL, 'BUF-RAW-001');
  if (rawContents(context, again).length !== whole.length)
    broken('raw copies of two buffers with the same array have different sizes', CALL, 'BUF-RAW-001');
}
