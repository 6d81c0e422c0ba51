import { readBytes } from '../../ffi/memory.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, hashed, send } from './support.ts';

const SHAPE = [2, 3, 5];
const BYTES = 8 * SHAPE.length;

/**
 * The arrays behind PJRT_Buffer_Dimensions, _UnpaddedDimensions and _GetMemoryLayout belong to the buffer: after much else
 * was made and destroyed they still say the same, and asking again gives the same.
 */
export const metadataLifetime: Probe = (context) => {
  const { api } = context;
  const { buffer } = send(context, hashed('f32', SHAPE), 'during-call');
  const pointers = ({ pointer }: Pick<Buffer, 'pointer'>): [string, bigint][] => {
    const ask = (fn: string, field: string) =>
      api.invoke(
        fn,
        (call) => call.setWord('buffer', pointer),
        (call) => call.word(field),
      );
    const list: [string, bigint][] = [
      ['PJRT_Buffer_Dimensions', ask('PJRT_Buffer_Dimensions', 'dims')],
      ['PJRT_Buffer_UnpaddedDimensions', ask('PJRT_Buffer_UnpaddedDimensions', 'unpadded_dims')],
    ];
    if (api.has('PJRT_Buffer_GetMemoryLayout')) {
      const order = api.invoke(
        'PJRT_Buffer_GetMemoryLayout',
        (call) => call.setWord('buffer', pointer),
        (call) => {
          const layout = call.nested('layout', api.struct('PJRT_Buffer_MemoryLayout'));
          const tiled = layout.nested('tiled', api.struct('PJRT_Buffer_MemoryLayout_Tiled'));
          return layout.int('type') === 0 ? tiled.word('minor_to_major') : 0n;
        },
      );
      if (order !== 0n) list.push(['PJRT_Buffer_GetMemoryLayout', order]);
    }
    return list;
  };
  const text = (pointer: bigint) => readBytes(pointer, BYTES).join();
  const before = pointers(buffer).map(([fn, pointer]) => ({ fn, pointer, text: text(pointer) }));
  for (let i = 0; i < 64; i++) {
    const other = send(context, hashed('f32', [i + 2, 7, 11]), 'during-call');
    pointers(other.buffer);
    other.done.destroy();
    other.buffer.destroy();
  }
  for (const { fn, pointer, text: old } of before)
    if (text(pointer) !== old) broken(`what ${fn} pointed to has changed while the buffer lives`, fn);
  for (const [i, [fn, pointer]] of pointers(buffer).entries())
    if (text(pointer) !== before[i]!.text) broken(`${fn} returns something else the second time`, fn);
};
