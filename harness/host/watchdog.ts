import { PHASE } from '../wire/breadcrumb-layout.ts';
import type { Crumb } from './breadcrumb-reader.ts';

/** Milliseconds that native calls and whole cases may take. */
export interface Deadlines {
  /** One native call. */
  call: number;
  /** One case. */
  case: number;
  /** Load, PJRT_Plugin_Initialize and PJRT_Client_Create: some plugins compile kernels there for a minute. */
  clientCreate: number;
  /** From the last case to the end of the process, static destructors included. */
  exit: number;
}

export const DEFAULT_DEADLINES: Deadlines = { call: 60_000, case: 120_000, clientCreate: 300_000, exit: 20_000 };

const SLOW_CALLS = new Set(['dlopen', 'GetPjrtApi', 'PJRT_Plugin_Initialize', 'PJRT_Client_Create']);

/**
 * Decides from successive looks at a breadcrumb whether a deadline has passed. A blocked native call freezes the worker's
 * event loop, so only the parent can tell.
 */
export class Watchdog {
  readonly #deadlines: Deadlines;
  #began: number;
  #calls = -1;
  #callSince: number;
  #pendingSince: number | undefined;

  constructor(deadlines: Deadlines, now: number) {
    this.#deadlines = deadlines;
    this.#began = now;
    this.#callSince = now;
  }

  /** @returns why the worker must be killed, or undefined */
  look(crumb: Crumb | undefined, now: number): string | undefined {
    if (crumb && crumb.calls !== this.#calls) {
      this.#calls = crumb.calls;
      this.#callSince = now;
    }
    const slow = crumb?.call !== undefined && SLOW_CALLS.has(crumb.call) && crumb.phase === PHASE.call;
    const callLimit = slow ? this.#deadlines.clientCreate : this.#deadlines.call;
    if (crumb?.phase === PHASE.call && now - this.#callSince > callLimit) {
      return `the deadline of ${seconds(callLimit)} for one native call passed`;
    }
    this.#pendingSince = crumb?.pending === undefined ? undefined : (this.#pendingSince ?? now);
    if (this.#pendingSince !== undefined && now - this.#pendingSince > this.#deadlines.call) {
      return `the deadline of ${seconds(this.#deadlines.call)} for one native call passed`;
    }
    const caseLimit = slow ? Math.max(this.#deadlines.case, this.#deadlines.clientCreate) : this.#deadlines.case;
    if (now - this.#began > caseLimit) return `the deadline of ${seconds(caseLimit)} for one case passed`;
    return undefined;
  }
}

const seconds = (ms: number): string => `${Number((ms / 1000).toFixed(3))} s`;
