import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../harness/host/store/open-store.ts';

/** A real store on the loopback interface. */
export interface RunningStore {
  url: string;
  stop(): Promise<void>;
}

/** Programs of Debian's packages redis-server and etcd-server; without them only what needs them is skipped. */
const PROGRAMS = { redis: 'redis-server', etcd: 'etcd' } as const;

export type StoreKind = keyof typeof PROGRAMS;

/** Whether the program is here. */
export const hasStore = (kind: StoreKind): boolean =>
  spawnSync(PROGRAMS[kind], ['--version'], { stdio: 'ignore' }).status === 0;

/** Starts a store on free ports, and waits until it answers. */
export async function startStore(kind: StoreKind): Promise<RunningStore> {
  const directory = mkdtempSync(join(tmpdir(), `pjrt-${kind}-`));
  const [port, peers] = [await freePort(), await freePort()];
  const at = (one: number) => `http://127.0.0.1:${one}`;
  const args = {
    redis: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory],
    etcd: [
      ...['--data-dir', join(directory, 'data'), '--listen-client-urls', at(port), '--advertise-client-urls', at(port)],
      ...['--listen-peer-urls', at(peers), '--initial-advertise-peer-urls', at(peers)],
      ...['--initial-cluster', `default=${at(peers)}`],
    ],
  }[kind];
  const child = spawn(PROGRAMS[kind], args, { stdio: 'ignore' });
  const url = `${kind}://127.0.0.1:${port}/test`;
  await answers(url, child);
  return {
    url,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} exited with code ${child.exitCode}`);
    try {
      await (await openStore(url, {})).close();
      return;
    } catch {
      await sleep(50);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
