import { pjrtFunctionAt } from '../../ffi/function.ts';
import { Client } from '../../pjrt/client.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';
import { violated } from '../support/checks.ts';

const FUNCTION = 'PJRT_Client_LookupDevice';

/** Keeps the error of a failed lookup until its client has been destroyed, and reads it only then. */
export const errorOutlivesClient = probe('error-outlives-client', {}, (context) => {
  const { api, arena } = context;
  const { setup } = context.subjects[0]!;
  const client = context.scope.own(Client.create(api, arena, setup.options));
  // Called by hand: the object model would read and destroy the error at once.
  const args = api.make(arena, 'PJRT_Client_LookupDevice_Args');
  args.at(0).setWord('client', client.pointer);
  args.at(0).setInt('id', -1);
  const lookUp = () => context.instrument.native(FUNCTION, () => pjrtFunctionAt(api.demand(FUNCTION))(args.address));
  const control = lookUp();
  const error = lookUp();
  if (control === null || error === null)
    throw new NotSupported(`needs an error, and ${FUNCTION} finds a device with the id -1`);
  const before = api.takeError(control, FUNCTION);
  client.destroy();
  const after = api.takeError(error, FUNCTION);
  if (before.codeName !== after.codeName || before.text !== after.text)
    violated('an error reads differently after its client was destroyed', 'PJRT_Error_Message', 'ERR-GEN-003', {
      detail: `before: ${before.codeName}: ${before.text}\nafter:  ${after.codeName}: ${after.text}`,
    });
});
