import type { Client } from '../../pjrt/client.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import type { CaseContext } from '../../steps/context.ts';
import { KeyValueStore, STORE_MESSAGE, type StoreBehaviour, type StoreRecord } from '../../steps/key-value-store.ts';
import { createNodes } from '../../steps/nodes.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';
import { violated } from '../support/checks.ts';

const FUNCTION = 'PJRT_Client_Create';
const NODES = 2;
const CONTRACT = { type: 'pjrt.CallbackContract' };

/** Two nodes of one job find each other through the store. */
export const keyValueRendezvous = probe('key-value-rendezvous', {}, async (context) => {
  const meeting = await meet(context, {});
  expectClients(meeting);
  const { record, indices } = meeting;
  if (record.puts.length === 0 || record.gets + record.tries === 0)
    violated('two nodes of one job were created without any communication', FUNCTION, 'KV-003', CONTRACT);
  if (indices.join() !== '0,1')
    violated(
      `the nodes 0 and 1 have the process indices ${indices.join(' and ')}`,
      'PJRT_Client_ProcessIndex',
      'CLI-PRC-001',
    );
  if (new Set(record.puts.map((p) => p.node)).size < NODES)
    violated('only one of the nodes put anything into the store', FUNCTION, 'KV-009', CONTRACT);
});

/** The first try for a key finds nothing; the nodes find each other all the same. */
export const keyValueLate = probe('key-value-late', {}, async (context) => {
  const meeting = await meet(context, { late: true });
  expectClients(meeting);
  if (meeting.record.tries === 0) throw new NotSupported('the plugin never tries for a key, it waits for keys');
});

/** The store returns errors, and so must the creation of the nodes. */
export const keyValueFailing = probe('key-value-failing', {}, async (context) => {
  const { ends, record } = await meet(context, { failing: true });
  if (record.errors === 0) throw new NotSupported('the plugin requests nothing from the store');
  for (const end of ends) {
    if (end.status === 'fulfilled')
      violated('a client was created although the store returned errors', FUNCTION, 'KV-007', {
        type: 'pjrt.MissingError',
      });
    if (!(end.reason instanceof PjrtError)) throw end.reason;
    if (end.reason.text.includes(STORE_MESSAGE)) continue;
    context.report({
      type: 'pjrt.WrongError',
      level: 'should',
      message: 'the error of the creation does not hold the message of the store',
      detail: `message: ${end.reason.text}`,
      call: FUNCTION,
      requirements: ['KV-007'],
    });
  }
});

/** The result of creating two nodes. */
interface Meeting {
  ends: PromiseSettledResult<Client>[];
  /** Why a node could not be created, as it is to be thrown. */
  failure?: { cause: unknown };
  /** Process indices of the nodes that were created. */
  indices: number[];
  record: StoreRecord;
}

/** Two clients of one process are created as the nodes of one job, with a store that the harness keeps, and destroyed. */
async function meet(context: CaseContext, behaviour: StoreBehaviour): Promise<Meeting> {
  const store = new KeyValueStore(context, behaviour);
  const { ends, clients, failure } = await createNodes(context, store, NODES);
  const indices = clients.map((client) => client.processIndex());
  // Read before the end: clients are gone first, so that nobody calls a store that is closed.
  for (const client of clients) {
    client.disown();
    await context.api.invokeAsync('PJRT_Client_Destroy', (call) => call.setWord('client', client.pointer));
  }
  const { record } = store;
  await store.close();
  if (record.misuses > 0)
    violated(
      `${record.misuses} calls of the store had no key, no timeout, no callback_error, or the user_arg of another`,
      FUNCTION,
      'KV-003',
      CONTRACT,
    );
  if (record.deletions !== record.values)
    violated(
      `the store gave ${record.values} values, ${record.deletions} of them were deleted`,
      FUNCTION,
      'KV-004',
      CONTRACT,
    );
  return { ends, indices, record, ...(failure && { failure }) };
}

/** @throws what kept a node from being created */
function expectClients({ failure }: Meeting): void {
  if (failure) throw failure.cause;
}
