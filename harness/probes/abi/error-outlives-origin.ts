import { Client } from '../../pjrt/client.ts';
import type { Handle } from '../../pjrt/handle.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { readError } from './error-contract.ts';
import { wordOption } from './probe-options.ts';
import { callForError, type RawError } from './raw-error.ts';
import { named } from './sound-objects.ts';

/** An error can still be read when the object that gave rise to it is gone: `buffer`, or a whole `client`. */
export const errorOutlivesOrigin: Probe = (context, options) => {
  const { origin, error } = wordOption(options, 'origin', ['buffer', 'client']) === 'buffer' ? ofBuffer() : ofClient();
  if (!error) throw new NotSupported('the plugin lets the wrong call pass, so there is no error');
  const before = readError(context, error);
  origin.destroy();
  const after = readError(context, error);
  error.destroy();
  if (before.code !== after.code || Buffer.compare(before.message, after.message) !== 0) {
    throw new CheckFailure({
      type: 'pjrt.ErrorContract',
      message: `an error of ${error.from} says something else once the ${origin.kind} is destroyed`,
      call: error.from,
    });
  }

  function ofBuffer(): { origin: Handle; error: RawError | undefined } {
    const origin = named(context, 'fresh_buffer') as Handle;
    context.bind('origin', origin);
    const wrong = { src: '$origin', dst: { room: 23 }, dst_size: 23 };
    return { origin, error: callForError(context, 'PJRT_Buffer_ToHostBuffer', wrong) };
  }

  function ofClient(): { origin: Handle; error: RawError | undefined } {
    const origin = context.scope.own(Client.create(context.api, context.arena, context.seats[0]!.setup.options));
    context.bind('origin', origin);
    return { origin, error: callForError(context, 'PJRT_Client_LookupDevice', { client: '$origin', id: -1 }) };
  }
};
