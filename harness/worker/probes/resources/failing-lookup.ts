import type { Call } from '../../pjrt/call.ts';
import { errorOf, errorOfAsync } from '../../pjrt/errors.ts';
import { NotSupported, SuiteFault } from '../../steps/outcome.ts';
import { probe, text } from '../probe.ts';
import { violated } from '../support/checks.ts';

const LOOKUP = 'PJRT_Client_LookupDevice';

/** A device that does not exist gives the same error here and on another thread, with the id of its caller. */
export const failingLookup = probe('failing-lookup', { id: text }, async (context, options) => {
  const { client } = context;
  const id = context.resolve(options.id);
  if (typeof id !== 'number') throw new SuiteFault(`${options.id} is no number`);
  const fill = (call: Call): void => {
    call.setWord('client', client.pointer);
    call.setInt('id', id);
  };
  const here = errorOf(() => client.api.invoke(LOOKUP, fill));
  const there = await errorOfAsync(client.api.invokeAsync(LOOKUP, fill));
  if (!there) throw new NotSupported(`needs an error, and ${LOOKUP} finds devices with negative ids`);
  if (here && (here.code !== there.code || (here.text === '') !== (there.text === '')))
    violated('an error on another thread is not the one of the same call on this', LOOKUP, 'THR-001', {
      detail: `this thread: ${here.codeName}: ${here.text}\nanother: ${there.codeName}: ${there.text}`,
    });
  // A message that names the id of its call on this thread names it on another.
  if (here?.text.includes(String(id)) && !there.text.includes(String(id)))
    violated('an error of one thread appeared in another', LOOKUP, 'THR-001', {
      detail: `asked for ${id}, the message says: ${there.text}`,
    });
});
