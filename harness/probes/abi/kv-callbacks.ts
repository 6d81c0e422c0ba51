import { callback } from '../../ffi/function.ts';
import { Client } from '../../pjrt/client.ts';
import { makeNamedValues } from '../../pjrt/named-values.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';

const KINDS = ['get', 'put', 'try_get'] as const;

/**
 * Key-value callbacks are for clients of several processes: one of a single process calls none of them, neither when it
 * is made nor later.
 */
export const kvCallbacks: Probe = async (context) => {
  const { api } = context;
  const called: string[] = [];
  // Returning NULL is success to the plugin; what it then reads from the arguments is its own affair.
  const traps = KINDS.map((kind) => ({
    kind,
    trap: callback('void* PjrtKeyValueTrap(void* args)', () => {
      called.push(kind);
      return null;
    }),
  }));
  const options = makeNamedValues(api, context.arena, context.seats[0]!.setup.options);
  const client = await api.invokeAsync(
    'PJRT_Client_Create',
    (call) => {
      call.setWord('create_options', options.address);
      call.setSize('num_options', options.count);
      for (const { kind, trap } of traps) {
        if (call.layout.has(`kv_${kind}_callback`)) call.setWord(`kv_${kind}_callback`, trap.address);
      }
    },
    (call) => new Client(api, call.word('client')),
  );
  context.scope.own(client);
  client.devices();
  client.destroy();
  for (const { trap } of traps) trap.release();
  if (called.length === 0) return;
  throw new CheckFailure({
    type: 'pjrt.CallbackContract',
    message: `a client of a single process called key-value callbacks: ${[...new Set(called)].join(', ')}`,
    call: 'PJRT_Client_Create',
  });
};
