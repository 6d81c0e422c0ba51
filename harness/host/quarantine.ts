import type { CaseResult } from '../model/case-result.ts';
import type { Status } from '../model/status.ts';
import type { Case } from '../suite/types.ts';
import type { Job } from './job-queue.ts';
import type { RunPlan } from './run-plan.ts';

/** Repetitions beyond the number of processes saved, after which cases no longer share one. */
const MAX_LOSS = 3;

/**
 * Cases that may harm their process share one as long as each passes: a start costs more than most of these cases. In a
 * process that others have used only a pass counts, and that a plugin does not offer something. Anything else may be the work
 * of an earlier case, so the case is repeated in a process of its own, and that result counts.
 */
export class Quarantine {
  readonly #plan: Pick<RunPlan, 'plugins' | 'knownToFail'>;
  /** Whether cases still share a process. */
  #open = true;
  #saved = 0;
  #repeated = 0;

  constructor(plan: Pick<RunPlan, 'plugins' | 'knownToFail'>) {
    this.#plan = plan;
  }

  /** Whether a case gets a process of its own from the beginning. */
  readonly isolates = ({ id, isolation, requires }: Case): boolean => {
    // Without the plugins that it needs it calls nothing.
    if (requires.plugins !== undefined && requires.plugins > this.#plan.plugins.length) return false;
    return isolation === 'process' || (isolation === 'quarantine' && this.#plan.knownToFail?.(id) === true);
  };

  /** Whether a job gets a process of its own. */
  alone({ isolated, case: { isolation }, why, doubted }: Job): boolean {
    if (isolated || why === 'rerun' || doubted !== undefined) return true;
    return isolation === 'quarantine' && !this.#open;
  }

  /** Whether the result of a job depends on the cases that have used its process before. `undefined`: the process has died. */
  doubts({ case: { isolation } }: Job, earlier: number, result: CaseResult | undefined): boolean {
    if (isolation !== 'quarantine' || earlier === 0) return false;
    if (result && this.spares(result)) {
      this.#saved++;
      return false;
    }
    if (++this.#repeated > this.#saved + MAX_LOSS) this.#open = false;
    return true;
  }

  /** Whether a process can be used further after a result. */
  spares({ status }: CaseResult): boolean {
    return status === 'pass' || status === 'unsupported' || status === 'skip';
  }

  /** A case that was repeated in a process of its own has ended. @returns whether earlier cases had changed its result */
  compare(doubted: Status, status: Status): boolean {
    if (doubted === status) return false;
    this.#open = false;
    return true;
  }
}
