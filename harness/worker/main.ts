import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { markerLine, type ToWorker } from '../host/wire/protocol.ts';
import { Channel } from './channel.ts';
import { isDescriptorShortage } from './descriptors.ts';
import { dieWithParent, flushStdio } from './ffi/libc.ts';
import { Session } from './session.ts';

/** Entry of a worker process: the only place where plugins are ever mapped. */

const channel = new Channel();

/** Nothing is written into a descriptor that the plugin has closed, and perhaps opened again for something else. */
const send: Channel['send'] = (message) => {
  if (!channel.intact) session?.closed();
  channel.send(message);
};

let session: Session | undefined;
let marker = '';

/** Marks the boundaries of a case in both output streams, after flushing C stdio. */
function mark(number: number, edge: 'begin' | 'end'): void {
  flushStdio();
  for (const fd of [1, 2]) {
    try {
      writeSync(fd, markerLine(marker, number, edge));
    } catch {
      // A plugin may have closed the stream; the parent then continues without the marker.
    }
  }
}

/**
 * Handles descriptors that the plugin may have closed. Nothing else may get the number of a standard stream: libuv aborts
 * when it closes one, and the markers would go there.
 */
function checkDescriptors(): void {
  if (!channel.intact) session!.closed();
  try {
    let fd = openSync('/dev/null', 'r+');
    while (fd <= 2) fd = openSync('/dev/null', 'r+');
    closeSync(fd);
  } catch (error) {
    // Then the standard streams are taken too.
    if (!isDescriptorShortage(error)) throw error;
  }
}

/** Peak memory of this process. Not from `resourceUsage`, which includes the process it was forked from. */
function peakRss(): number {
  try {
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    if (kibibytes !== undefined) return Number(kibibytes) * 1024;
  } catch {
    // No such file on this system.
  }
  return process.memoryUsage.rss();
}

/** A failure of the worker itself ends the process, so that nobody waits for an answer; the parent says whose it was. */
function die(error: unknown): void {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  session?.leaving();
  send({ type: 'fault', error: stack });
  process.exit(1);
}

async function handle(message: ToWorker): Promise<void> {
  switch (message.type) {
    case 'setup':
      marker = message.setup.marker;
      session = new Session(message.setup, send);
      return;
    case 'prepare':
      mark(0, 'begin');
      session!.prepare();
      mark(0, 'end');
      send({ type: 'ready' });
      return;
    case 'inspect': {
      mark(0, 'begin');
      const problem = session!.inspect(message.part);
      checkDescriptors();
      mark(0, 'end');
      send({ type: 'inspected', problem });
      return;
    }
    case 'run': {
      mark(message.number, 'begin');
      const result = await session!.run(message.number, message.case, message.avoided);
      checkDescriptors();
      mark(message.number, 'end');
      send({ type: 'result', result });
      return;
    }
    case 'check':
      send({ type: 'checked', healthy: session!.isHealthy() });
      return;
    case 'stop': {
      const problem = session?.close();
      flushStdio();
      checkDescriptors();
      const peakRssBytes = peakRss();
      session?.leaving();
      send({ type: 'stopped', peakRssBytes, problem });
      // Static destructors of the plugin run in exit, under the parent's watchdog.
      process.exit(0);
    }
  }
}

dieWithParent();
// Node's own handler opens a debugger.
process.on('SIGUSR1', () => {});
channel.listen(
  (message) => handle(message).catch(die),
  // The parent is gone, so results have no receiver.
  () => {
    session?.leaving();
    process.exit(0);
  },
);
