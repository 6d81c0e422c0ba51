import type { ChildProcess } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { forkWorker, type Place } from './fork-worker.ts';

/**
 * The process of the first worker, started while the parent still reads suites and plugins: otherwise the start of two
 * processes, one after the other, would be half of the time to the first result. It knows nothing of the run yet.
 */
export class EarlyWorker {
  /** Of its process; undefined if it could not be started. */
  readonly pid: number | undefined;
  readonly #place: Place;
  #child: ChildProcess | undefined;

  /** @param place where the worker will probably run */
  constructor(place: Place) {
    this.#place = place;
    this.#child = forkWorker(place);
    this.pid = this.#child.pid;
    // If it could not be started, the first worker is started again, and says why.
    this.#child.on('error', () => {});
  }

  /** The process, which then belongs to the caller; undefined if it is gone, or would run elsewhere. */
  take({ cwd, env }: Place): ChildProcess | undefined {
    const child = this.#child;
    const alive = child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
    if (!alive || !isDeepStrictEqual({ cwd, env }, this.#place)) return undefined;
    this.#child = undefined;
    return child;
  }

  /** Ends the process if nobody took it. */
  end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}
