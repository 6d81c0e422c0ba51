import { readdirSync } from 'node:fs';
import { Client } from '../../pjrt/client.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { number, optional, probe } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { doWork } from '../support/client-work.ts';

/** Turns of the event loop that threads get to end after their client is gone. */
const PATIENCE = 200;

/** File descriptors and threads of the process do not grow with each client that comes and goes. */
export const handlesOfClients = probe(
  'handles-of-clients',
  { rounds: optional(number, 10) },
  async (context, { rounds }) => {
    if (process.platform !== 'linux') throw new NotSupported('descriptors and threads are counted in /proc');
    const { setup } = context.subjects[0]!;
    const cycle = () => {
      const client = Client.create(context.api, context.arena, setup.options);
      try {
        doWork(context, client);
      } finally {
        client.destroy();
      }
    };
    // The first lives start what stays for the process: logging, pools, caches.
    cycle();
    cycle();
    const before = count();
    for (let i = 0; i < rounds; i++) cycle();
    // One for each life is a leak; half of that allows for a pool that grows once more.
    const allowed = Math.floor(rounds / 2);
    let after = count();
    for (let i = 0; i < PATIENCE && after.threads - before.threads > allowed; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      after = count();
    }
    if (after.descriptors - before.descriptors > allowed)
      violated(`${rounds} clients left at least one file descriptor each behind`, 'PJRT_Client_Destroy', 'RES-001', {
        detail: `before: ${before.descriptors}, after: ${after.descriptors}`,
      });
    if (after.threads - before.threads > allowed)
      violated(`${rounds} clients left at least one thread each behind`, 'PJRT_Client_Destroy', 'RES-001', {
        detail: `before: ${before.threads}, after: ${after.threads}`,
      });
  },
);

const count = () => ({
  descriptors: readdirSync('/proc/self/fd').length,
  threads: readdirSync('/proc/self/task').length,
});
