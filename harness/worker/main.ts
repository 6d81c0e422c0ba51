import { writeSync } from 'node:fs';
import { flushStdio } from '../ffi/libc.ts';
import type { FromWorker, ToWorker } from '../wire/protocol.ts';
import { markerLine } from '../wire/protocol.ts';
import { Session } from './session.ts';

/** Entry of a worker process: the only place where plugins are ever mapped. */

const send = (message: FromWorker): void => {
  process.send?.(message);
};

let session: Session | undefined;
let marker = '';
let queue: Promise<void> = Promise.resolve();

/** Marks the edges of a case in both output streams, after everything that C code had buffered. */
function mark(number: number, edge: 'begin' | 'end'): void {
  flushStdio();
  for (const fd of [1, 2]) {
    try {
      writeSync(fd, markerLine(marker, number, edge));
    } catch {
      // A plugin may have closed the stream; the parent does without the marker then.
    }
  }
}

async function handle(message: ToWorker): Promise<void> {
  switch (message.type) {
    case 'setup':
      marker = message.setup.marker;
      session = new Session(message.setup, send);
      return;
    case 'prepare':
      mark(0, 'begin');
      await session!.prepare();
      mark(0, 'end');
      send({ type: 'ready' });
      return;
    case 'run': {
      mark(message.number, 'begin');
      send({ type: 'started', number: message.number });
      const result = await session!.run(message.number, message.case);
      mark(message.number, 'end');
      send({ type: 'result', number: message.number, result });
      return;
    }
    case 'stop':
      session?.close();
      flushStdio();
      // Static destructors of the plugin run in exit; the parent watches how that ends.
      process.send?.({ type: 'stopped', memoryBytes: process.memoryUsage.rss() } satisfies FromWorker, () =>
        process.exit(0),
      );
  }
}

process.on('message', (message: ToWorker) => {
  queue = queue.then(() => handle(message));
});
// The parent is gone: nobody wants the results any more.
process.on('disconnect', () => process.exit(0));
