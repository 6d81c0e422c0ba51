import { toStrided } from '../../numerics/strided.ts';
import { Buffer } from '../../pjrt/buffer.ts';
import { SEMANTICS } from '../../pjrt/client.ts';
import { Event } from '../../pjrt/event.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { broken, hashed, option, same, scratchLayout } from './support.ts';

const SHAPE = [3, 2048];

/**
 * Dims, byte strides and layout only have to live during the call: all three are overwritten as soon as it returns.
 * Options: `semantics`, `layout` (false: none is sent).
 */
export const callArgumentsReuse: Probe = async (context, options) => {
  const { api, arena, scope, client } = context;
  const data = hashed('f32', SHAPE, 4);
  const strided = toStrided(data, { strides: [4, 12] });
  const host = arena.input(strided.backing);
  const dims = arena.int64s(SHAPE);
  const strides = arena.int64s(strided.byteStrides);
  const layout = option(options, 'layout', true) ? scratchLayout(context, [1, 0]) : undefined;
  const { buffer, done } = api.invoke(
    'PJRT_Client_BufferFromHostBuffer',
    (call) => {
      call.setWord('client', client.pointer);
      call.setWord('data', host.address + BigInt(strided.offset));
      call.setInt('type', data.dtype.enumValue);
      call.setWord('dims', dims.address);
      call.setSize('num_dims', SHAPE.length);
      call.setWord('byte_strides', strides.address);
      call.setSize('num_byte_strides', SHAPE.length);
      call.setInt(
        'host_buffer_semantics',
        SEMANTICS[option<keyof typeof SEMANTICS>(options, 'semantics', 'zero-copy')],
      );
      call.setWord('device', client.addressableDevices()[0]!.pointer);
      call.setWord('device_layout', layout?.address ?? 0n);
    },
    (call) => ({
      buffer: scope.own(new Buffer(api, call.word('buffer'))),
      done: scope.own(new Event(api, call.word('done_with_host_buffer'))),
    }),
  );
  dims.view.setBigInt64(0, -1n, true);
  dims.view.setBigInt64(8, 1n << 60n, true);
  strides.bytes.fill(0x7f);
  layout?.scrub();
  buffer.awaitReady();
  const shape = buffer.dimensions();
  if (shape.length !== 2 || shape.some((d, i) => d !== SHAPE[i]))
    broken(
      'the dimensions of a buffer follow the array that the caller passed',
      'PJRT_Buffer_Dimensions',
      'BUF-HOST-007',
    );
  same('the buffer', data, fetchArray(context, buffer), 'PJRT_Client_BufferFromHostBuffer', 'BUF-HOST-007');
  buffer.destroy();
  await done.awaitAsync();
};
