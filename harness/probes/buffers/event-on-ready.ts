import { generate } from '../../numerics/generate.ts';
import type { PjrtError } from '../../pjrt/errors.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { startPut } from '../../steps/transfer.ts';

const REGISTRATIONS = 3;
const TOKEN = 0x5eed0000n;

/** Several callbacks on one event: each fires exactly once, with its own token and the event's status. */
export const eventOnReady: Probe = async (context) => {
  const buffer = startPut(
    context,
    generate({ iota: { dtype: 'f32', shape: [16] } }, () => {
      throw new Error('no reference');
    }),
  );
  const event = context.scope.own(buffer.readyEvent());
  const fired: { token: bigint; error: PjrtError | undefined }[] = [];
  const all = new Promise<void>((resolve) => {
    for (let i = 0; i < REGISTRATIONS; i++) {
      event.onReady(TOKEN + BigInt(i), (error, token) => {
        fired.push({ token, error });
        if (fired.length >= REGISTRATIONS) resolve();
      });
    }
  });
  await all;
  // A second firing would come now: one more turn of the event loop, after an awaited native call.
  await event.awaitAsync();
  await new Promise((resolve) => setImmediate(resolve));
  const tokens = fired.map((f) => f.token).sort();
  const expected = Array.from({ length: REGISTRATIONS }, (_, i) => TOKEN + BigInt(i));
  if (tokens.length !== REGISTRATIONS || tokens.some((t, i) => t !== expected[i])) {
    throw new CheckFailure({
      type: 'pjrt.CallbackContract',
      message: `${REGISTRATIONS} callbacks were registered; ${fired.length} fired, with user arguments ${tokens.map((t) => `0x${t.toString(16)}`).join(', ')}`,
      call: 'PJRT_Event_OnReady',
    });
  }
  const failed = fired.find((f) => f.error);
  if (failed) {
    throw new CheckFailure({
      type: 'pjrt.CallbackContract',
      message: `a callback of a ready event got the error ${failed.error!.codeName}`,
      call: 'PJRT_Event_OnReady',
    });
  }
};
