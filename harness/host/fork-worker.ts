import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { programPath } from '../base/paths.ts';
import { scratchFile } from '../base/scratch.ts';
import { BREADCRUMB } from './wire/breadcrumb-layout.ts';
import { WORKER_STDIO } from './wire/channel.ts';

/** Where a worker runs. */
export interface Place {
  /** Working directory: plugins may read relative paths. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** A program that starts the worker, and its arguments. */
  under?: readonly string[] | undefined;
}

/** A new process, and what the parent has of it. */
export interface Forked {
  child: ChildProcess;
  /** Descriptor of its breadcrumb. */
  breadcrumb: number;
  /** Value of {@link MARK} in its environment, and in those of all processes that it starts. */
  mark: string;
}

/** The variable by which the processes of one worker are known. */
export const MARK = 'PJRT_CONFORMANCE_WORKER';

/**
 * Calls that wait at the same time each hold a thread of libuv's pool, which has four by default: where a plugin's calls wait for each
 * other's arguments, the call that brings these needs one too.
 */
const CALLING_THREADS = '16';

const entry = programPath('worker/main');

/** Starts a process that waits for its setup. */
export function forkWorker({ cwd, env, under = [] }: Place): Forked {
  const breadcrumb = scratchFile(BREADCRUMB.fileBytes);
  const mark = randomBytes(12).toString('hex');
  const [program, ...args] = [...under, process.execPath, ...process.execArgv, entry];
  const child = spawn(program!, args, {
    stdio: [...WORKER_STDIO, breadcrumb],
    // A process group of its own, so that everything the plugin starts can be killed with it.
    detached: true,
    cwd,
    env: { ...env, UV_THREADPOOL_SIZE: CALLING_THREADS, [MARK]: mark },
  });
  return { child, breadcrumb, mark };
}
