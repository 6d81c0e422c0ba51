import type { Handle } from '../../pjrt/handle.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import { named } from '../abi/valid-objects.ts';
import { probe } from '../probe.ts';
import { readError } from './error-contract.ts';
import { callForError } from './raw-error.ts';

/** An error can still be read when the buffer that gave rise to it is destroyed. */
export const errorOutlivesBuffer = probe('error-outlives-buffer', {}, (context) => {
  const buffer = named(context, 'fresh_buffer') as Handle;
  context.bind('origin', buffer);
  const wrong = { src: '$origin', dst: { room: 23 }, dst_size: 23 };
  const error = callForError(context, 'PJRT_Buffer_ToHostBuffer', wrong);
  if (!error) throw new NotSupported('the plugin lets a destination that is too small pass, so there is no error');
  context.scope.own(error);
  const before = readError(context, error);
  buffer.destroy();
  const after = readError(context, error);
  if (before.code !== after.code || Buffer.compare(before.message, after.message) !== 0) {
    throw new CheckFailure({
      type: 'pjrt.ErrorContract',
      message: `an error of ${error.from} says something else once the buffer is destroyed`,
      call: error.from,
    });
  }
});
