import { fromBytes } from '../../numerics/array.ts';
import { denseStrides, toStrided } from '../../numerics/strided.ts';
import { type Buffer, hostDestination } from '../../pjrt/buffer.ts';
import type { CaseContext } from '../../steps/context.ts';
import { ifOffered, reportedOrder } from '../../steps/device-format.ts';
import { NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { type Order, orderOf, sendWithLayout } from './device-layout.ts';
import { hashed, option, same, scratchLayout } from './support.ts';

const CALL = 'PJRT_Buffer_ToHostBuffer';

/**
 * The order in which an array arrives on the host. Options: `dtype`, `shape`; `device`: minor-to-major order of the device
 * layout, or `row-major`, or `reversed` (default: none is sent, and the order is the one that the buffer reports), or `deviceStrides`: the same by
 * byte strides; `host`: the order asked for, or `source` for a null host_layout, which means the order of the source;
 * `scrub`: the host layout's memory is overwritten as soon as the call returns.
 */
export const toHostLayout: Probe = async (context, options) => {
  const { arena, scope } = context;
  const data = hashed(option(options, 'dtype', 'f32'), option(options, 'shape', [2, 3]));
  const rank = data.shape.length;
  const device = option<Order | undefined>(options, 'device', undefined);
  const asked = option<Order | 'source'>(options, 'host', 'source');
  const buffer = sendWithLayout(context, data, {
    order: device,
    byteStrides: option<number[] | undefined>(options, 'deviceStrides', undefined),
  });
  const order = asked === 'source' ? orderOfSource(context, buffer, device, rank) : orderOf(asked, rank);
  const layout = asked === 'source' ? undefined : scratchLayout(context, order);
  const size = data.bytes.length;
  const room = hostDestination(arena, size);
  const event = scope.own(buffer.startCopyToHost(room.address, size, layout?.address ?? 0n));
  if (option(options, 'scrub', false)) layout?.scrub();
  await event.awaitAsync();
  const wanted = toStrided(data, { strides: denseStrides(data.shape, data.dtype.hostBytes, order) }).backing;
  const shape = [...order].reverse().map((d) => data.shape[d]!);
  same(
    `the array in minor-to-major order [${order}]`,
    fromBytes(data.dtype, shape, wanted),
    fromBytes(data.dtype, shape, room.bytes.slice(0, size)),
    CALL,
  );
};

/** The order in which an array lies on its device: the one that was asked for, or the device's own choice. */
function orderOfSource(context: CaseContext, buffer: Buffer, device: Order | undefined, rank: number): number[] {
  if (device !== undefined || rank < 2) return orderOf(device ?? 'row-major', rank);
  const reported = ifOffered(() => reportedOrder(context, buffer));
  if (!reported) throw new NotSupported('the buffer does not say in which order it lies on its device');
  return reported.order;
}
