import type { Probe } from '../../steps/steps.ts';
import { broken, hashed, option, send } from './support.ts';

/** A buffer takes at least the bits of its elements on the device. Options: `dtype`, `shape`. */
export const onDeviceSize: Probe = (context, options) => {
  const data = hashed(option(options, 'dtype', 'f32'), option(options, 'shape', [7]));
  const { buffer } = send(context, data, 'during-call');
  const elements = data.bytes.length / data.dtype.hostBytes;
  const least = Math.ceil((elements * data.dtype.bits) / 8);
  const size = buffer.onDeviceSize();
  if (size < least)
    broken(
      `${data.dtype.name}[${data.shape}] takes ${size} bytes, at least ${least} are needed`,
      'PJRT_Buffer_OnDeviceSizeInBytes',
      'BUF-META-007',
    );
};
