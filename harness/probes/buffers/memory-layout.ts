import { readBytes } from '../../ffi/memory.ts';
import { fromBytes, type HostArray } from '../../numerics/array.ts';
import { denseStrides, toStrided } from '../../numerics/strided.ts';
import { Buffer } from '../../pjrt/buffer.ts';
import type { CaseContext } from '../../steps/context.ts';
import { isHostLike, reportedOrder } from '../../steps/device-format.ts';
import { NotSupported, refusal } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { type Order, orderOf, sendWithLayout } from './device-layout.ts';
import { broken, hashed, option, same } from './support.ts';

const CALL = 'PJRT_Buffer_GetMemoryLayout';

/**
 * What PJRT_Buffer_GetMemoryLayout says of a buffer is a permutation of its dimensions, and the layout asked for. Where
 * the memory can be read (on the CPU, no tiles, a whole number of bytes an element) the array lies in it as it says.
 * Options: `shape`; `device`: a minor-to-major order, `row-major` or `reversed` (default: none is sent, and the device's
 * default is its own choice: on TPUs not row-major); `bitcast`: look at a bitcast of the buffer with a null layout instead,
 * which has the default layout and not that of its source.
 */
export const memoryLayout: Probe = (context, options) => {
  const data = hashed('f32', option(options, 'shape', [2, 3]));
  const rank = data.shape.length;
  const device = option<Order | undefined>(options, 'device', undefined);
  const cast = option(options, 'bitcast', false);
  const source = sendWithLayout(context, data, { order: device });
  const buffer = cast ? bitcast(context, source, data) : source;
  const said = reportedOrder(context, buffer);
  if (!said) throw new NotSupported('the layout is given by byte strides');
  const { order, tiles } = said;
  if (order.length !== rank || [...order].sort((a, b) => a - b).some((d, i) => d !== i))
    broken(`minor_to_major is [${order}], no permutation of ${rank} dimensions`, CALL, 'BUF-META-006');
  const wanted = cast
    ? reportedOrder(context, sendWithLayout(context, data, {}))?.order
    : device && orderOf(device, rank);
  if (wanted?.some((d, i) => order[i] !== d)) broken(`minor_to_major is [${order}], expected [${wanted}]`, CALL);
  if (tiles > 0 || cast || !isHostLike(buffer, data)) return;
  const pointer = buffer.unsafePointer();
  // For an address there is a case of its own.
  if (pointer === 0n) return;
  const lies = toStrided(data, { strides: denseStrides(data.shape, data.dtype.hostBytes, order) }).backing;
  const shape = [...order].reverse().map((d) => data.shape[d]!);
  same(
    `the memory of a buffer with minor_to_major [${order}]`,
    fromBytes(data.dtype, shape, lies),
    fromBytes(data.dtype, shape, readBytes(pointer, data.bytes.length)),
    'PJRT_Client_BufferFromHostBuffer',
  );
};

/** @throws NotSupported where another layout takes another number of bytes on the device, so that it may be refused */
function bitcast(context: CaseContext, source: Buffer, like: HostArray): Buffer {
  const { api, arena, scope } = context;
  try {
    const cast = api.invoke(
      'PJRT_Buffer_Bitcast',
      (call) => {
        call.setWord('buffer', source.pointer);
        call.setInt('element_type', like.dtype.enumValue);
        call.setWord('dims', arena.int64s(like.shape).address);
        call.setSize('num_dims', like.shape.length);
      },
      (call) => new Buffer(api, call.word('out_buffer')),
    );
    return scope.own(cast);
  } catch (error) {
    throw isHostLike(source, like) ? error : refusal(error, 'a bitcast to the default layout is refused');
  }
}
