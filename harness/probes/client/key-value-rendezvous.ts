import { Client } from '../../pjrt/client.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { makeNamedValues } from '../../pjrt/named-values.ts';
import type { Options } from '../../plugins/types.ts';
import type { CaseContext } from '../../steps/context.ts';
import { answerOf, causeOf, NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken } from '../support.ts';
import { KeyValueStore, STORE_MESSAGE, type StoreBehaviour, type StoreRecord } from './key-value-store.ts';

const FUNCTION = 'PJRT_Client_Create';
const NODES = 2;
const CONTRACT = { type: 'pjrt.CallbackContract' };

/** Two nodes of one job find each other through the store. */
export const keyValueRendezvous: Probe = async (context) => {
  const meeting = await meet(context, {});
  expectClients(meeting);
  const { record, indices } = meeting;
  if (record.puts.length === 0 || record.gets + record.tries === 0)
    broken('two nodes of one job were created without any communication', FUNCTION, 'KV-003', CONTRACT);
  if (indices.join() !== '0,1')
    broken(
      `the nodes 0 and 1 have the process indices ${indices.join(' and ')}`,
      'PJRT_Client_ProcessIndex',
      'CLI-PRC-001',
    );
  if (new Set(record.puts.map((p) => p.node)).size < NODES)
    broken('only one of the nodes put anything into the store', FUNCTION, 'KV-009', CONTRACT);
};

/** The first try for a key finds nothing; the nodes find each other all the same. */
export const keyValueLate: Probe = async (context) => {
  const meeting = await meet(context, { late: true });
  expectClients(meeting);
  if (meeting.record.tries === 0) throw new NotSupported('the plugin never tries for a key, it waits for keys');
};

/** The store returns errors, and so must the creation of the nodes. */
export const keyValueFailing: Probe = async (context) => {
  const { ends, record } = await meet(context, { failing: true });
  if (record.errors === 0) throw new NotSupported('the plugin requests nothing from the store');
  for (const end of ends) {
    if (end.status === 'fulfilled')
      broken('a client was created although the store returned errors', FUNCTION, 'KV-007', {
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
};

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
  const known = context.seats[0]!.setup.knownOptions ?? {};
  for (const name of ['num_nodes', 'node_id'])
    if (known[name] !== 'int64')
      throw new NotSupported(`the plugin's manifest knows no option ${name}: no job of several nodes`);
  const store = new KeyValueStore(context, behaviour);
  let first: { node: number; error: unknown } | undefined;
  const starts = Array.from({ length: NODES }, (_, node) =>
    create(context, store, node).catch((error) => {
      first ??= { node, error };
      store.abandon();
      throw error;
    }),
  );
  const ends = await Promise.allSettled(starts);
  const clients = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  const indices = clients.map((client) => client.processIndex());
  // Read before the end: clients are gone first, so that nobody calls a store that is closed.
  for (const client of clients) {
    client.disown();
    await context.api.invokeAsync('PJRT_Client_Destroy', (call) => call.setWord('client', client.pointer));
  }
  const { record } = store;
  await store.close();
  if (record.misuses > 0)
    broken(
      `${record.misuses} calls of the store had no key, no timeout, no callback_error, or the user_arg of another`,
      FUNCTION,
      'KV-003',
      CONTRACT,
    );
  if (record.deletions !== record.values)
    broken(
      `the store gave ${record.values} values, ${record.deletions} of them were deleted`,
      FUNCTION,
      'KV-004',
      CONTRACT,
    );
  if (!first) return { ends, indices, record };
  const alone = !store.hasHeardFrom(first.node) && store.hasHeardFrom(NODES - 1 - first.node);
  return { ends, indices, record, failure: { cause: alone ? refusedClient(first.error) : first.error } };
}

/** @throws what kept a node from being created */
function expectClients({ failure }: Meeting): void {
  if (failure) throw failure.cause;
}

/** One node never came to the store, but the other did: a plugin may give a process one client at a time. */
const refusedClient = (error: unknown): unknown =>
  error instanceof PjrtError
    ? new NotSupported(`needs two clients in one process: ${answerOf(error)}`, causeOf(error))
    : error;

async function create(context: CaseContext, store: KeyValueStore, node: number): Promise<Client> {
  const { api, arena } = context;
  const options: Options = {
    ...context.seats[0]!.setup.options,
    num_nodes: { kind: 'int64', value: BigInt(NODES) },
    node_id: { kind: 'int64', value: BigInt(node) },
  };
  const named = makeNamedValues(api, arena, options);
  const lend = await store.node(node);
  return api.invokeAsync(
    FUNCTION,
    (call) => {
      call.setWord('create_options', named.address);
      call.setSize('num_options', named.count);
      lend(call);
    },
    (call) => new Client(api, call.word('client')),
  );
}
