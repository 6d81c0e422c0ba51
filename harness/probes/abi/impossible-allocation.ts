import { dtype } from '../../numerics/dtypes.ts';
import { Buffer, makeLayout } from '../../pjrt/buffer.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';

const NAME = 'PJRT_Client_CreateUninitializedBuffer';
/** Four bytes each: a pebibyte. */
const ELEMENTS = 2 ** 48;

/** More memory than any machine has: RESOURCE_EXHAUSTED, from the call or from the buffer's readiness. */
export const impossibleAllocation: Probe = (context) => {
  const { api, arena } = context;
  const fail = (message: string): never => {
    throw new CheckFailure({ type: 'pjrt.MissingError', message, call: NAME });
  };
  try {
    const buffer = api.invoke(
      NAME,
      (call) => {
        call.setWord('client', context.client.pointer);
        call.setWord('shape_dims', arena.int64s([ELEMENTS]).address);
        call.setSize('shape_num_dims', 1);
        call.setInt('shape_element_type', dtype('f32').enumValue);
        call.setWord('shape_layout', makeLayout(api, arena, [0]));
        call.setWord('device', context.client.addressableDevices()[0]!.pointer);
      },
      (call) => context.scope.own(new Buffer(api, call.word('buffer'))),
    );
    buffer.awaitReady();
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
    // Not offered is one thing, not enough memory another.
    if (error.codeName === 'UNIMPLEMENTED') throw error;
    if (error.codeName !== 'RESOURCE_EXHAUSTED') {
      fail(`an allocation of a pebibyte ended in ${error.codeName}, expected RESOURCE_EXHAUSTED`);
    }
    return;
  }
  fail('an allocation of a pebibyte succeeded');
};
