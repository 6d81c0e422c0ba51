import type { Probe } from '../../../steps/steps.ts';
import { extensionOf } from './support.ts';

/** The stream of every addressable device can be asked for; any number may be the answer, also zero. */
export const streamExtension: Probe = (context) => {
  const extension = extensionOf(context, 'Stream');
  for (const device of context.client.addressableDevices()) {
    extension.invoke('get_stream', (call) => call.setWord('device', device.pointer));
  }
};
