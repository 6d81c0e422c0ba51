import type { HostArray } from '../../numerics/array.ts';
import { type Buffer, makeLayout } from '../../pjrt/buffer.ts';
import type { CaseContext } from '../../steps/context.ts';
import { refusal } from '../../steps/outcome.ts';
import { send } from './support.ts';

/** A minor-to-major order; `reversed` is that of a column-major array. */
export type Order = readonly number[] | 'row-major' | 'reversed';

export function orderOf(order: Order, rank: number): number[] {
  if (order === 'reversed') return Array.from({ length: rank }, (_, i) => i);
  if (order === 'row-major') return Array.from({ length: rank }, (_, i) => rank - 1 - i);
  return [...order];
}

/** What may be sent as device_layout. */
interface DeviceLayout {
  order?: Order | undefined;
  byteStrides?: readonly number[] | undefined;
}

/**
 * Sends an array with a device layout. A plugin may refuse any layout but the default.
 * @throws NotSupported when it does
 */
export function sendWithLayout(context: CaseContext, data: HostArray, layout: DeviceLayout): Buffer {
  const { api, arena } = context;
  const address = layout.byteStrides
    ? stridesLayout(context, layout.byteStrides)
    : layout.order
      ? makeLayout(api, arena, orderOf(layout.order, data.shape.length))
      : 0n;
  try {
    const { buffer } = send(context, data, 'during-call', { layout: address });
    buffer.awaitReady();
    return buffer;
  } catch (error) {
    throw address === 0n ? error : refusal(error, 'the plugin refuses this device layout');
  }
}

function stridesLayout({ api, arena }: CaseContext, byteStrides: readonly number[]): bigint {
  const struct = api.make(arena, 'PJRT_Buffer_MemoryLayout');
  const view = struct.at(0);
  view.setInt(
    'type',
    api.abi.enumValues('PJRT_Buffer_MemoryLayout_Type').get('PJRT_Buffer_MemoryLayout_Type_Strides')!,
  );
  const strides = view.nested('strides', api.struct('PJRT_Buffer_MemoryLayout_Strides'));
  strides.reset();
  strides.setWord('byte_strides', arena.int64s(byteStrides).address);
  strides.setSize('num_byte_strides', byteStrides.length);
  return struct.address;
}
