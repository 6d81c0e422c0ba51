import type { After, CaseResult } from '../model/case-result.ts';
import { VIOLATING_STATUSES } from '../model/status.ts';
import type { Case } from '../suite/types.ts';
import { culpritsAmong } from './culprits.ts';
import type { Job, Ran } from './job-queue.ts';
import type { RunContext } from './run-plan.ts';

/** Cases with the same failure that also fail alone, after which a further one is believed; of those that only warn. */
const CONFIRMED = 3;
const CONFIRMED_WARNINGS = 1;
/** What the search may take in a run: at least this, and a share of the time that the run has taken. */
const PATIENCE_MS = 60_000;
const SHARE = 0.25;
/** On a slow machine a search may take as long as so many tries, up to this: whether it ends does not depend on what else runs there. */
const TRIES = 60;
const MOST_MS = 300_000;

/**
 * Which failures are the work of earlier cases of their process. A case that fails in a worker that others have used is repeated
 * in one of its own, at once. If it passes there, what it fails after is searched among them.
 */
export class OrderInquiry {
  readonly #context: RunContext;
  /** How often a failure, by what can be seen of it, was confirmed by a case alone. */
  readonly #confirmed = new Map<string, number>();
  /** Ids of the cases after which others were found to fail. */
  readonly #culprits = new Set<string>();
  #spentMs = 0;

  constructor(context: RunContext) {
    this.#context = context;
  }

  /**
   * Whether the result of a case in a worker that others have used is repeated in another.
   * @param earlier number of these cases
   */
  doubts(job: Job, earlier: number, result: CaseResult): boolean {
    const { case: one, why, doubt, crash, crowded, loss, exclusive } = job;
    if (one.isolation !== 'worker' || earlier === 0) return false;
    if (!VIOLATING_STATUSES.includes(result.status) || isOfProcess(result)) return false;
    if (why === 'rerun' || doubt || crash || crowded || loss || exclusive) return false;
    if (this.#context.plan.knownToFail?.(one.id) || this.#context.plan.signal.aborted) return false;
    const enough = result.status === 'warn' ? CONFIRMED_WARNINGS : CONFIRMED;
    return (this.#confirmed.get(keyOf(result)) ?? 0) < enough;
  }

  /** A case failed alone too. */
  confirm(result: CaseResult): void {
    const key = keyOf(result);
    this.#confirmed.set(key, (this.#confirmed.get(key) ?? 0) + 1);
  }

  /** Whether a worker is not used further after this case. */
  isCulprit({ id }: Case): boolean {
    return this.#culprits.has(id);
  }

  /**
   * What a case fails after that passes alone.
   * @param fails whether it fails after some of these cases, in a new worker; undefined if it can't be tried
   * @returns undefined if it does not fail again after all of them; `untried` if there was no time to see that
   */
  async after(
    earlier: readonly Ran[],
    fails: (earlier: readonly Ran[]) => Promise<boolean | undefined>,
  ): Promise<After | 'untried' | undefined> {
    const began = this.#context.at();
    const usual = PATIENCE_MS + SHARE * began - this.#spentMs;
    let longest = 0;
    const known = (one: Ran): boolean => this.isCulprit(one.case);
    const found = await culpritsAmong(earlier, known, async (some) => {
      const from = this.#context.at();
      if (from - began > Math.max(usual, Math.min(TRIES * longest, MOST_MS - this.#spentMs))) return undefined;
      const answer = await fails(some);
      longest = Math.max(longest, this.#context.at() - from);
      return answer;
    });
    this.#spentMs += this.#context.at() - began;
    if (!found || found === 'untried') return found;
    const ids = found.cases.map(({ case: { id } }) => id);
    if (!found.minimal && ids.length > 1) return { cases: [ids[0]!, ids.at(-1)!], further: ids.length - 2 };
    for (const id of ids) this.#culprits.add(id);
    return { cases: ids };
  }
}

/** What the first case of a process says about the process is said again by the first of every other. */
const isOfProcess = ({ findings }: CaseResult): boolean =>
  findings.length > 0 && findings.every(({ type }) => type === 'pjrt.ProcessChanged');

/** What can be seen of a failure. */
function keyOf({ status, inFlight, findings }: CaseResult): string {
  const [first] = findings;
  return JSON.stringify([status, inFlight, first?.type, first?.call, first?.requirements]);
}
