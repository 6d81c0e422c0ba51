import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../../host/store/store.ts';

const PAUSE_MS = 50;

/**
 * The harnesses of several machines agree that they begin the same case now. What an earlier run has left in the store does
 * no harm: each has a nonce of its own, node 0 publishes the list of all, and a list counts once all of it have said so.
 * @param store the part of the store that belongs to the case
 * @returns a name for this meeting, the same for all
 * @throws StoreError, and an Error at the deadline
 */
export async function meet(store: Store, node: number, count: number, deadlineMs: number): Promise<string> {
  const nonce = randomUUID();
  const nodes = Array.from({ length: count }, (_, i) => i);
  const text = async (key: string) => {
    const value = await store.read(key);
    return value && Buffer.from(value).toString();
  };
  const say = (key: string, value: string) => store.write(key, Uint8Array.from(Buffer.from(value)));
  const end = performance.now() + deadlineMs;
  await say(`join/${node}`, nonce);
  for (;;) {
    if (node === 0) {
      const joined = await Promise.all(nodes.map((i) => text(`join/${i}`)));
      const list = joined.join(' ');
      if (!joined.includes(undefined) && (await text('start')) !== list) await say('start', list);
    }
    const list = await text('start');
    let absent = nodes.filter((i) => i !== node);
    if (list?.split(' ')[node] === nonce) {
      const name = createHash('sha256').update(list).digest('hex').slice(0, 16);
      await say(`agreed/${name}/${node}`, 'yes');
      const agreed = await Promise.all(nodes.map((i) => text(`agreed/${name}/${i}`)));
      absent = nodes.filter((i) => agreed[i] === undefined);
      if (absent.length === 0) return name;
    }
    if (performance.now() > end)
      throw new Error(
        `the harness of node ${absent.join(', ')} of ${count} did not begin this case within ${deadlineMs / 1000} s: ` +
          'all of them need the same --nodes, --store, suites and selection',
      );
    await sleep(PAUSE_MS);
  }
}
