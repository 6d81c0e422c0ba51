import { spawn } from 'node:child_process';

/** A process that does nothing beside one that uses the plugin: the same program, of the same parent. */
interface NeighbourProcess {
  /** The signal that killed it, if any. */
  killedBy(): NodeJS.Signals | undefined;
  end(): void;
}

/** Starts one in the process group of this worker, so that a missed deadline ends it as well. */
export async function startNeighbour(): Promise<NeighbourProcess> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  return {
    killedBy: () => child.signalCode ?? undefined,
    end: () => void child.kill('SIGKILL'),
  };
}
