import { closeSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { type Forked, forkWorker, type Place } from './fork-worker.ts';

/**
 * The process of the first worker, started while the parent still reads suites and plugins: otherwise the start of two
 * processes, one after the other, would be half of the time to the first result. It knows nothing of the run yet.
 */
export class EarlyWorker {
  /** Of its process; undefined if it could not be started. */
  readonly pid: number | undefined;
  readonly #place: Place;
  #forked: Forked | undefined;

  /** @param place where the worker will probably run */
  constructor(place: Place) {
    this.#place = place;
    this.#forked = forkWorker(place);
    const { child } = this.#forked;
    this.pid = child.pid;
    // If it could not be started, the first worker is started again, and says why.
    child.on('error', () => {});
  }

  /** The process, which then belongs to the caller; undefined if it is gone, or would run elsewhere. */
  take({ cwd, env, under }: Place): Forked | undefined {
    const forked = this.#forked;
    const child = forked?.child;
    const alive = child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
    if (!alive || under || !isDeepStrictEqual({ cwd, env }, this.#place)) return undefined;
    this.#forked = undefined;
    return forked;
  }

  /** Ends the process if nobody took it. */
  end(): void {
    if (!this.#forked) return;
    this.#forked.child.kill('SIGKILL');
    closeSync(this.#forked.breadcrumb);
    this.#forked = undefined;
  }
}
