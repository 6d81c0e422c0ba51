import { Buffer } from '../../pjrt/buffer.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { makePending } from './pending.ts';
import { same } from './support.ts';

const CALL = 'PJRT_Buffer_CopyToDevice';

/** A copy to the second device of a buffer that has no contents yet gets them when they come. */
export const copyOfPending: Probe = async (context) => {
  const { api, client, scope } = context;
  const pending = makePending(context, 'manager');
  const copy = scope.own(
    api.invoke(
      CALL,
      (call) => {
        call.setWord('buffer', pending.buffer!.pointer);
        call.setWord('dst_device', client.addressableDevices()[1]!.pointer);
      },
      (call) => new Buffer(api, call.word('dst_buffer')),
    ),
  );
  await pending.complete();
  same('the copy', pending.data, fetchArray(context, copy), CALL);
};
