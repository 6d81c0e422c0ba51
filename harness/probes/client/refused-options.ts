import { Client } from '../../pjrt/client.ts';
import { NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, checkAddOne, errorOf, option, unlessUnimplemented } from './support.ts';

const FUNCTION = 'PJRT_Client_Create';
const UNTOUCHED = 0xc9c9c9c9c9c9c9c9n;

/** An option that the plugin refuses is refused each time, no client comes out of it, and good options still work. */
export const refusedOptions: Probe = (context, options) => {
  const name = String(options.option);
  const rounds = option(options, 'rounds', 1);
  const seat = context.seats[0]!;
  for (let i = 0; i < rounds; i++) {
    const { arena } = context;
    const call = context.api.begin(FUNCTION);
    const text = arena.text(name);
    const named = context.api.make(arena, 'PJRT_NamedValue');
    const value = named.at(0);
    value.setWord('name', text.address);
    value.setSize('name_size', text.length);
    value.setInt('type', 1);
    value.setWord('int64_value', 1n);
    value.setSize('value_size', 1);
    call.setWord('create_options', named.address);
    call.setSize('num_options', 1);
    call.setWord('client', UNTOUCHED);
    const error = errorOf(() => call.run());
    const client = call.word('client');
    context.instrument.breadcrumb?.idle();
    context.api.finish(call);
    if (!error) {
      if (client !== 0n && client !== UNTOUCHED) new Client(context.api, client).destroy();
      if (i > 0) broken(`${FUNCTION} refused an option ${i} times and then accepted it`, FUNCTION);
      throw new NotSupported('the plugin accepts options that it does not know, so no creation can be made to fail');
    }
    if (client !== 0n && client !== UNTOUCHED)
      broken(`${FUNCTION} failed, but wrote a client`, FUNCTION, 'CLI-CRE-005', { type: 'pjrt.OutputTouched' });
    if (options.named === true && !error.text.includes(name))
      broken(`the error for an unknown option does not name the option`, FUNCTION, undefined, {
        detail: `message: ${error.text}`,
      });
  }
  if (rounds === 1) return;
  const client = Client.create(context.api, context.arena, seat.setup.options);
  unlessUnimplemented(() => checkAddOne(context, client));
  client.destroy();
};
