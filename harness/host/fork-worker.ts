import { type ChildProcess, fork } from 'node:child_process';
import { programPath } from '../base/paths.ts';

/** Where a worker runs. */
export interface Place {
  /** Working directory: plugins may read relative paths. */
  cwd: string;
  env: NodeJS.ProcessEnv;
}

const entry = programPath('worker/main');

/** Starts a process that waits for its setup. */
export const forkWorker = ({ cwd, env }: Place): ChildProcess =>
  fork(entry, [], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A process group of its own, so that everything the plugin starts can be killed with it.
    detached: true,
    cwd,
    env,
    serialization: 'advanced',
  });
