import type { Options } from '../../model/plugin.ts';
import { Client } from '../pjrt/client.ts';
import { PjrtError } from '../pjrt/errors.ts';
import { makeNamedValues } from '../pjrt/named-values.ts';
import type { CaseContext } from './context.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { demandNodeOptions, NODE_OPTIONS } from './node-options.ts';
import { answerOf, causeOf, NotSupported } from './outcome.ts';

/** The clients of a job: one per node, as far as they could be created. */
export interface Nodes {
  ends: PromiseSettledResult<Client>[];
  clients: Client[];
  /** Why a node could not be created, as it is to be thrown. */
  failure?: { cause: unknown };
}

/**
 * Creates the nodes of a job, clients of the first plugin, side by side in this process. Nobody owns them yet.
 * @throws NotSupported if the plugin's manifest does not know the options for it
 */
export async function createNodes(
  context: CaseContext,
  store: KeyValueStore,
  count: number,
  options: Options = {},
): Promise<Nodes> {
  const { setup } = context.subjects[0]!;
  demandNodeOptions(setup);
  let first: { node: number; error: unknown } | undefined;
  const starts = Array.from({ length: count }, (_, node) =>
    createNode(context, store, node, {
      ...setup.options,
      ...options,
      [NODE_OPTIONS.count]: { kind: 'int64', value: BigInt(count) },
      [NODE_OPTIONS.index]: { kind: 'int64', value: BigInt(node) },
    }).catch((error) => {
      first ??= { node, error };
      store.abandon();
      throw error;
    }),
  );
  const ends = await Promise.allSettled(starts);
  const clients = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  if (!first) return { ends, clients };
  const { node, error } = first;
  const others = Array.from({ length: count }, (_, other) => other).filter((other) => other !== node);
  const alone = !store.hasHeardFrom(node) && others.some((other) => store.hasHeardFrom(other));
  return { ends, clients, failure: { cause: alone ? refusedClient(error) : error } };
}

/** One node never came to the store, but another did: a plugin may give a process one client at a time. */
const refusedClient = (error: unknown): unknown =>
  error instanceof PjrtError
    ? new NotSupported(`needs two clients in one process: ${answerOf(error)}`, causeOf(error))
    : error;

async function createNode(context: CaseContext, store: KeyValueStore, node: number, options: Options): Promise<Client> {
  const { api, arena } = context;
  const named = makeNamedValues(api, arena, options);
  const lend = await store.node(node);
  return api.invokeAsync(
    'PJRT_Client_Create',
    (call) => {
      call.set({ create_options: named.address, num_options: named.count });
      lend(call);
    },
    (call) => new Client(api, call.word('client')),
  );
}
