import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A process that does nothing beside one that uses the plugin: the same program, of the same parent. */
interface NeighbourProcess {
  /**
   * The signal that killed it, if any. It is asked for an answer first: a signal that has been sent takes effect before
   * the next instruction of the process, but on a busy machine that may be later than now.
   */
  killedBy(): Promise<NodeJS.Signals | undefined>;
  end(): void;
}

const ECHO = "process.on('message', (message) => process.send(message))";

/** Starts one in the process group of this worker, so that a missed deadline ends it as well, and waits until it runs. */
export async function startNeighbour(): Promise<NeighbourProcess> {
  const child = spawn(process.execPath, ['-e', ECHO], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  await once(child, 'spawn');
  await answerOrEnd(child);
  return {
    killedBy: async () => {
      await answerOrEnd(child);
      return child.signalCode ?? undefined;
    },
    end: () => void child.kill('SIGKILL'),
  };
}

async function answerOrEnd(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const settled = Promise.race([once(child, 'message'), once(child, 'exit')]);
  // A channel that is closed already belongs to a process that is ending; its exit follows.
  child.send('still there?', () => {});
  await settled;
}
