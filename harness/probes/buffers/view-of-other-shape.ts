import { fromBytes } from '../../numerics/array.ts';
import { dtype } from '../../numerics/dtypes.ts';
import { generate } from '../../numerics/generate.ts';
import { isHostLike } from '../../steps/device-format.ts';
import { NotSupported, SuiteFault } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { makeView } from './make-view.ts';
import { same, send } from './support.ts';

/** A view has the type and shape that it is made with, not those of the buffer whose memory it is. */
export const viewOfOtherShape: Probe = (context) => {
  const of = ['3f800000', '7fc00001', '80000000', '00000001'];
  const data = generate({ bits: { dtype: 'f32', shape: [4], of } }, () => {
    throw new SuiteFault('there is no reference in it');
  });
  const { buffer } = send(context, data, 'during-call');
  buffer.awaitReady();
  // Tiles and padding depend on type and shape, so that elsewhere the same bytes are other arrays.
  if (!isHostLike(buffer, data.bytes.length)) throw new NotSupported('device memory is not laid out as on the host');
  const other = fromBytes(dtype('u32'), [2, 2], data.bytes);
  const view = makeView(context, buffer.opaquePointer(), other);
  same('the view', other, fetchArray(context, view), 'PJRT_Client_CreateViewOfDeviceBuffer');
};
