import { availableParallelism, cpus } from 'node:os';
import type { Finding } from '../model/finding.ts';
import type { Case } from '../suite/types.ts';
import { type ProcessState, readProcessState } from './ffi/process-state.ts';
import { changesBetween } from './probes/process/process-changes.ts';

/**
 * Runtimes start threads and helpers, and open what these wait for, when they first have work for them, for each processor that they
 * may use or that there is. A leak goes on.
 */
const POOL = 16 + 2 * Math.max(availableParallelism(), cpus().length);

/** What of its kind is open, each with the case that left it; a text that is different for each is the key. */
class Growth {
  readonly #what: string;
  readonly #requirement: string;
  readonly #leftBy = new Map<string, string>();
  /** Cases that may leave something. */
  #most = POOL;
  #reported = false;

  constructor(what: string, requirement = 'RES-001') {
    this.#what = what;
    this.#requirement = requirement;
  }

  see(open: readonly string[], leftBy: string): void {
    const now = new Set(open);
    for (const one of this.#leftBy.keys()) if (!now.has(one)) this.#leftBy.delete(one);
    for (const one of now) if (!this.#leftBy.has(one)) this.#leftBy.set(one, leftBy);
  }

  get suspicious(): boolean {
    return !this.#reported && this.#cases().length > this.#most;
  }

  /** What stays when nothing is kept for later cases. */
  findings(): Pick<Finding, 'type' | 'message' | 'detail' | 'requirements'>[] {
    const cases = this.#cases();
    if (cases.length <= this.#most) {
      // It belonged to what was kept, and will come back with it.
      this.#most *= 2;
      return [];
    }
    this.#reported = true;
    const kinds = [...this.#leftBy].filter(([, by]) => by !== '').map(([one]) => one.replace(/^\d+ ?/, ''));
    const detail = [`left by: ${cases.join(', ')}`, ...new Set(kinds.filter(Boolean))].slice(0, 12).join('\n');
    const message = `${this.#what} accumulate: cases leave some that stay when all objects are destroyed`;
    return [{ type: 'pjrt.ResourceLeak', message, detail, requirements: [this.#requirement] }];
  }

  #cases(): string[] {
    return [...new Set(this.#leftBy.values())].filter(Boolean);
  }
}

/**
 * What a plugin does to the process that many cases share: each change, and growth without end, is a finding of the case during
 * which it shows. Each requirement is reported once a process.
 */
export class ProcessMonitor {
  readonly #start: ProcessState;
  readonly #release: () => void;
  readonly #descriptors = new Growth('descriptors');
  readonly #threads = new Growth('threads');
  /** One helper is no finding: runtimes have such. */
  readonly #children = new Growth('child processes', 'HYG-CHD-001');
  readonly #reported = new Set<string>();
  #last: ProcessState | undefined;

  /**
   * @param start before the plugin was loaded; what it has changed since then is not the doing of a case
   * @param release destroys what is kept for later cases
   */
  constructor(start: ProcessState, release: () => void) {
    this.#start = start;
    this.#release = release;
    this.#last = this.#look('');
  }

  /** What has changed during a case. */
  after({ id, line }: Case): Finding[] {
    const then = this.#last;
    const now = this.#look(id);
    this.#last = now;
    if (!then || !now) return [];
    const changes = changesBetween(then, now).filter(({ requirements: [one] }) => !this.#reported.has(one));
    for (const { requirements } of changes) this.#reported.add(requirements[0]);
    const suspects = [this.#descriptors, this.#threads, this.#children].filter((growth) => growth.suspicious);
    if (suspects.length > 0) {
      this.#release();
      this.#last = this.#look(id);
    }
    return [
      ...changes.map((change) => ({
        type: 'pjrt.ProcessChanged',
        ...change,
        message: `since this case ${change.message}`,
      })),
      ...suspects.flatMap((growth) => growth.findings()),
    ].map((finding) => ({ ...finding, level: 'should', line }));
  }

  /**
   * Threads and descriptors that the process had before the plugin are compared; all others are counted. Nothing if the plugin
   * has made files inaccessible, or used up all descriptors.
   */
  #look(id: string): ProcessState | undefined {
    const { threadStates, descriptors } = this.#start;
    try {
      const state = readProcessState(threadStates.keys());
      this.#descriptors.see(
        [...state.descriptors].map(([fd, target]) => `${fd} ${target}`),
        id,
      );
      this.#threads.see(state.threads.map(String), id);
      this.#children.see(state.children.map(String), id);
      const known = [...state.descriptors].filter(([fd]) => descriptors.has(fd));
      return { ...state, children: [], descriptors: new Map(known) };
    } catch {
      return undefined;
    }
  }
}
