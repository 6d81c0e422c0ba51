import { Client } from '../../pjrt/client.ts';
import { makeNamedValues } from '../../pjrt/named-values.ts';
import type { CaseContext } from '../../steps/context.ts';
import { number, optional, probe } from '../probe.ts';
import { doWork } from '../support/client-work.ts';

/** Clients are created, used and destroyed on several threads at once. */
export const concurrentClients = probe(
  'concurrent-clients',
  { rounds: optional(number, 2), lanes: optional(number, 2) },
  async (context, { rounds, lanes: count }) => {
    const lanes = Array.from({ length: count }, async (_, lane) => {
      for (let round = 0; round < rounds; round++) await oneLife(context, lane * rounds + round + 1);
    });
    const failed = (await Promise.allSettled(lanes)).find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  },
);

async function oneLife(context: CaseContext, seed: number): Promise<void> {
  const { api, arena } = context;
  const named = makeNamedValues(api, arena, context.subjects[0]!.setup.options);
  const client = await api.invokeAsync(
    'PJRT_Client_Create',
    (call) => {
      call.setWord('create_options', named.address);
      call.setSize('num_options', named.count);
    },
    (call) => new Client(api, call.word('client')),
  );
  try {
    doWork(context, client, seed);
  } finally {
    client.disown();
    await api.invokeAsync('PJRT_Client_Destroy', (call) => call.setWord('client', client.pointer));
  }
}
