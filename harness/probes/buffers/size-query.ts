import { makeLayout } from '../../pjrt/buffer.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { orderOf } from './device-layout.ts';
import { broken, hashed, option, same, send } from './support.ts';

const CALL = 'PJRT_Buffer_ToHostBuffer';

/**
 * Without a destination the call answers the size of the dense array, with and without a host layout, and leaves the buffer
 * as it is. Options: `dtype`, `shape`.
 */
export const sizeQuery: Probe = (context, options) => {
  const { api, arena } = context;
  const data = hashed(option(options, 'dtype', 'f32'), option(options, 'shape', [3, 5]));
  const { buffer } = send(context, data, 'during-call');
  const layout = makeLayout(api, arena, orderOf('row-major', data.shape.length));
  for (const [asked, given] of [
    ['', 0n],
    [' with a host layout', layout],
  ] as const) {
    const answer = buffer.hostSize(given);
    if (answer !== data.bytes.length)
      broken(`the size query${asked} answers ${answer}, the array takes ${data.bytes.length} bytes`, CALL);
  }
  same('the array after the size query', data, fetchArray(context, buffer), CALL);
};
