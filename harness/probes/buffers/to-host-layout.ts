import { fromBytes } from '../../numerics/array.ts';
import { denseStrides, toStrided } from '../../numerics/strided.ts';
import { hostDestination, makeLayout } from '../../pjrt/buffer.ts';
import type { Probe } from '../../steps/steps.ts';
import { hashed, option, same, scratchLayout, send } from './support.ts';

const CALL = 'PJRT_Buffer_ToHostBuffer';

/**
 * The order in which an array arrives on the host. Options: `shape`; `device`: minor-to-major order of the device layout
 * (default: none is sent, which means row-major); `host`: the order asked for, or `source` for a null host_layout, which
 * means the order of the source; `scrub`: the layout's memory is overwritten as soon as the call returns.
 */
export const toHostLayout: Probe = async (context, options) => {
  const { arena, scope, api } = context;
  const data = hashed(option(options, 'dtype', 'f32'), option(options, 'shape', [2, 3]));
  const rowMajor = data.shape.map((_, d) => data.shape.length - 1 - d);
  const device = option<number[] | undefined>(options, 'device', undefined);
  const host = option<number[] | 'source'>(options, 'host', 'source');
  const { buffer } = send(
    context,
    data,
    'during-call',
    device === undefined ? {} : { layout: makeLayout(api, arena, device) },
  );
  buffer.awaitReady();
  const order = host === 'source' ? (device ?? rowMajor) : host;
  const layout = host === 'source' ? undefined : scratchLayout(context, host);
  const size = data.bytes.length;
  const room = hostDestination(arena, size);
  const event = scope.own(buffer.startCopyToHost(room.address, size, layout?.address ?? 0n));
  if (option(options, 'scrub', false)) layout?.scrub();
  await event.awaitAsync();
  const expected = toStrided(data, { strides: denseStrides(data.shape, data.dtype.hostBytes, order) }).backing;
  same(
    `the array in minor-to-major order [${order}]`,
    fromBytes(data.dtype, [expected.length / data.dtype.hostBytes], expected),
    fromBytes(data.dtype, [expected.length / data.dtype.hostBytes], room.bytes.slice(0, size)),
    CALL,
  );
};
