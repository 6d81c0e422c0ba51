import type { Call } from '../../pjrt/call.ts';
import { Client } from '../../pjrt/client.ts';
import type { CaseContext } from '../../steps/context.ts';
import { RecordedCallback } from '../../steps/recorded-callback.ts';
import { probe } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { doWork } from '../support/client-work.ts';

const CALLBACKS = ['kv_get_callback', 'kv_put_callback', 'kv_try_get_callback'];
const ARGUMENTS = ['kv_get_user_arg', 'kv_put_user_arg', 'kv_try_get_user_arg'];
/** No process has anything mapped at the first page; a call of it is a crash, and the case says so. */
const STALE = 0x18n;

/** The store of a client of a single process counts how often it is called, which is never. */
export const storeNotCalled = probe('unused-store-not-called', {}, async (context) => {
  const store = new Map(
    CALLBACKS.map((field) => [field, new RecordedCallback(context, `PJRT_Client_Create.${field}`)]),
  );
  await liveWith(context, (call) => {
    for (const [field, { address }] of store) if (call.layout.has(field)) call.setWord(field, address);
  });
  const used = CALLBACKS.filter((field) => store.get(field)!.count() > 0);
  if (used.length > 0)
    violated(`a client of a single process called ${used.sort().join(', ')}`, 'PJRT_Client_Create', 'KV-002', {
      type: 'pjrt.CallbackContract',
    });
});

/** The pointers to the store of a client of a single process lead nowhere: a client that trusts them crashes. */
export const staleStoreIgnored = probe('unused-store-stale', {}, (context) => liveWith(context, staleStore));

/** The whole life of a client of a single process to which a store is lent. */
async function liveWith(context: CaseContext, fill: (call: Call) => void): Promise<void> {
  const pointer = await context.api.invokeAsync('PJRT_Client_Create', fill, (call) => call.word('client'));
  const client = context.scope.own(new Client(context.api, pointer));
  doWork(context, client);
  client.disown();
  await context.api.invokeAsync('PJRT_Client_Destroy', (call) => call.setWord('client', pointer));
}

function staleStore(call: Call): void {
  for (const field of [...CALLBACKS, ...ARGUMENTS]) if (call.layout.has(field)) call.setWord(field, STALE);
}
