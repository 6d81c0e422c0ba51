import type { CaseResult } from '../model/case-result.ts';
import type { Status } from '../model/status.ts';
import { manifestNeed } from '../suite/manifest-need.ts';
import type { Case } from '../suite/types.ts';
import type { Job } from './job-queue.ts';
import type { RunPlan } from './run-plan.ts';

/** Repetitions beyond the number of processes saved, after which cases no longer share one. */
const MAX_LOSS = 3;

/**
 * Cases that may harm their process share one as long as each passes: a start costs more than most of these cases. What fails
 * after others may be their work, so the case is repeated in a process of its own, and that result counts.
 */
export class Quarantine {
  readonly #plan: Pick<RunPlan, 'plugins' | 'knownToFail'>;
  /** Whether cases still share a process. */
  #open = true;
  #saved = 0;
  #lost = 0;

  constructor(plan: Pick<RunPlan, 'plugins' | 'knownToFail'>) {
    this.#plan = plan;
  }

  /** Whether a case gets a process of its own from the beginning. */
  readonly isolates = ({ id, isolation, requires }: Case): boolean => {
    // Without what it needs it calls nothing.
    const { plugins } = this.#plan;
    const keeps = plugins.some(({ alone }) => alone?.keeps);
    if (requires.plugins !== undefined && requires.plugins > plugins.length && !keeps) return false;
    if (plugins[0] && manifestNeed(requires, plugins[0]) !== undefined) return false;
    return isolation === 'process' || (isolation === 'quarantine' && this.#plan.knownToFail?.(id) === true);
  };

  /** Whether a job gets a process of its own. */
  alone({ isolated, case: { isolation }, why, doubt, exclusive, crowded }: Job): boolean {
    if (isolated || why === 'rerun' || doubt || crowded) return true;
    return isolation === 'quarantine' && (exclusive || !this.#open);
  }

  /**
   * Whether the result of a job may be the work of cases that have used its process before. That a plugin does not offer
   * something is believed beside a client that still works, and of a case that called nothing.
   * @param earlier number of these cases
   */
  doubts({ case: { isolation, client } }: Job, earlier: number, { status, calls }: CaseResult): boolean {
    if (isolation !== 'quarantine' || earlier === 0) return false;
    if (status === 'pass' || (status === 'unsupported' && (client === 'shared' || calls === 0))) {
      this.#saved++;
      return false;
    }
    // A deadline costs more than all the processes that could still be saved.
    if (status === 'timeout') this.#open = false;
    this.lose();
    return true;
  }

  /** A process could not be used further. */
  lose(): void {
    if (++this.#lost > this.#saved + MAX_LOSS) this.#open = false;
  }

  /** A case that was repeated in a process of its own has ended. @returns whether earlier cases had changed its result */
  compare(doubted: Status, status: Status): boolean {
    if (doubted === status) return false;
    this.#open = false;
    return true;
  }
}
