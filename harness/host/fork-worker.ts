import { type ChildProcess, spawn } from 'node:child_process';
import { programPath } from '../base/paths.ts';
import { WORKER_STDIO } from './wire/channel.ts';

/** Where a worker runs. */
export interface Place {
  /** Working directory: plugins may read relative paths. */
  cwd: string;
  env: NodeJS.ProcessEnv;
}

const entry = programPath('worker/main');

/** Starts a process that waits for its setup. */
export const forkWorker = ({ cwd, env }: Place): ChildProcess =>
  spawn(process.execPath, [...process.execArgv, entry], {
    stdio: [...WORKER_STDIO],
    // A process group of its own, so that everything the plugin starts can be killed with it.
    detached: true,
    cwd,
    env,
  });
