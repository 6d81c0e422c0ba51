import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { othersBusy } from './other-threads.ts';

test.runIf(process.platform === 'linux')('a thread that computes is busy', async () => {
  const worker = new Worker('require("node:worker_threads").parentPort.postMessage(0); for (;;);', { eval: true });
  await new Promise((resolve) => worker.once('message', resolve));
  try {
    // A page that it waits for, or a lock, is nothing to do.
    expect(Array.from({ length: 100 }, othersBusy)).toContain(true);
  } finally {
    await worker.terminate();
  }
});
