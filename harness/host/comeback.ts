import type { CaseResult } from '../model/case-result.ts';
import type { Count } from '../model/values.ts';
import { endOf, lastCallOf } from './blame.ts';
import { CLIENT_CALLS } from './deadlines.ts';
import type { Death } from './worker-process.ts';

/** The deadline for a client after a death: so many times the longest creation until then, and this. */
const TIMES = 2;
const SLACK_MS = 10_000;

/** A worker that died while it had the device, and after which no client has been created yet. */
export interface Lost {
  worker: Count;
  /** Id of its last case; missing if it had none yet. */
  case?: string | undefined;
  /** How it ended, as a sentence. */
  end: string;
  /** Whether it died while it created a client. */
  creating: boolean;
}

/**
 * Whether the devices come back after a death: some hang, or refuse every client, until something resets them. A process that
 * dies while another uses them says nothing of that.
 */
export class Comeback {
  #longestMs = 0;
  /** Whether a client has ever been created. */
  #created = false;
  #lost: Lost | undefined;
  #named = false;
  #resetDue = false;
  #reset = false;

  /** A function that creates clients has returned. @param ms for how long it was seen running */
  returned(ms: number): void {
    this.#longestMs = Math.max(this.#longestMs, ms);
  }

  /** A worker has ended otherwise than by destroying its clients. Where there never was a client, none is lost. */
  died(worker: Count, last: string | undefined, death: Death): void {
    const lost = { worker, case: last, end: endOf(death), creating: isCreating(lastCallOf(death).call) };
    // One that dies creating a client shows the loss; whoever died elsewhere beside it may be why, even if it was seen later.
    const mayBeWhy = !this.#lost || (this.#lost.creating && !lost.creating && !this.#named);
    if (this.#created && mayBeWhy) this.#lost = lost;
    this.#resetDue = true;
    this.#reset = false;
  }

  /** A client was refused. */
  refused(): void {
    if (this.#lost) this.#resetDue = true;
  }

  /** The devices have been reset, after which the first client may take longer than any before. */
  wasReset(): void {
    this.#resetDue = false;
    this.#reset = true;
  }

  /** A client has been created. @returns the death after which that had failed */
  cameBack(): Lost | undefined {
    const lost = this.#named ? this.#lost : undefined;
    this.#created = true;
    this.#lost = undefined;
    this.#named = false;
    this.#resetDue = false;
    return lost;
  }

  /** Whether a worker died because the death of another has left the devices unusable, as far as can be known. */
  explains(death: Death): boolean {
    return (
      this.#lost !== undefined && (death.missed?.deadline === 'clientCreate' || isCreating(lastCallOf(death).call))
    );
  }

  /** The same of the result of a case. */
  explainsResult(id: string, { status, inFlight }: Pick<CaseResult, 'status' | 'inFlight'>): boolean {
    const ended = status === 'crash' || status === 'timeout';
    return this.#lost !== undefined && this.#lost.case !== id && ended && isCreating(inFlight);
  }

  /** The death after which no client has been created yet. */
  get lost(): Lost | undefined {
    return this.#lost;
  }

  /** The same, the first time that it is known that none can be created. */
  name(): Lost | undefined {
    const lost = this.#named ? undefined : this.#lost;
    this.#named ||= lost !== undefined;
    return lost;
  }

  /** Whether a worker has died since the devices were last reset. */
  get resetDue(): boolean {
    return this.#resetDue;
  }

  /** The deadline for creating a client. After it was missed once, as for every other. @param asked by the user and by manifests */
  limit(asked: number): number {
    if (!this.#lost || this.#named || this.#reset) return asked;
    return Math.min(asked, TIMES * this.#longestMs + SLACK_MS);
  }
}

const isCreating = (call: string | undefined): boolean => call !== undefined && CLIENT_CALLS.has(call);

/** `buffers/views:as-numpy, when the process died with SIGSEGV in PJRT_Buffer_Destroy`. */
export const lostText = ({ worker, end, case: last }: Omit<Lost, 'creating'>): string =>
  `${last ?? `the start of worker ${worker}`}, when ${end}`;
