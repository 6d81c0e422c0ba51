import { createHash } from 'node:crypto';
import { existsSync, realpathSync, rmSync, type Stats, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { makeDirectory } from '../base/make-directory.ts';
import { systemReason } from '../base/system-reason.ts';
import { EventLogError } from './log.ts';

/** Lock on a log: no other process writes it while this is held. */
export interface LogLock {
  release(): Promise<void>;
}

/**
 * Makes this process the only writer of a log. The kernel holds the lock (a listening socket), which therefore ends with the
 * process: a kill cannot leave a lock file behind.
 * @throws EventLogError if another process holds it
 */
export async function lockLog(path: string, platform: NodeJS.Platform = process.platform): Promise<LogLock> {
  // Pipes and devices need no lock.
  if (existsSync(path) && !statSync(path).isFile()) return { release: async () => {} };
  const address = addressOf(path, platform);
  const server = await hold(address)
    // A sandbox may only allow sockets that are files.
    .catch((cause) => (platform === 'linux' ? hold(addressOf(path, 'freebsd')) : Promise.reject(cause)))
    .catch((cause: Error) => {
      throw new EventLogError(`${path}: the event log cannot be locked: ${cause.message}`, { cause });
    });
  if (!server) {
    throw new EventLogError(
      `${path}: another pjrt-conformance is writing this log; wait for it to end, or choose another directory with --output`,
    );
  }
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** The directory by its inode, and the name in it: the same key for every path to the file. */
function addressOf(path: string, platform: NodeJS.Platform): string {
  const { dev, ino } = directoryOf(path);
  const file = `${dev}:${ino}/${basename(path)}`;
  const name = `pjrt-conformance-${createHash('sha256').update(file).digest('hex').slice(0, 32)}`;
  if (platform === 'linux') return `\0${name}`;
  return platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(realpathSync(tmpdir()), `${name}.sock`);
}

function directoryOf(path: string): Stats {
  try {
    makeDirectory(dirname(path));
    return statSync(dirname(path));
  } catch (cause) {
    throw new EventLogError(`${path}: the event log cannot be created: ${systemReason(cause)}`, { cause });
  }
}

/** Undefined if another process holds it. */
const hold = async (address: string): Promise<Server | undefined> =>
  (await listen(address)) ?? (await afterStale(address));

/** Undefined if another process listens there. */
function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => resolve(server));
  });
}

/** If the socket is a file, that of a killed process remains, and nothing listens there. */
async function afterStale(address: string): Promise<Server | undefined> {
  if (address.startsWith('\0') || address.startsWith('\\')) return undefined;
  const alive = await new Promise<boolean>((resolve) => {
    const socket = connect(address, () => resolve(true)).on('error', () => resolve(false));
    socket.unref();
  });
  if (alive) return undefined;
  rmSync(address, { force: true });
  return listen(address);
}
