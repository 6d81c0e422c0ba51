import type { Crumb } from './breadcrumb-reader.ts';
import type { Comeback } from './comeback.ts';
import { CLIENT_CALLS, type Deadlines, type Missed } from './deadlines.ts';
import type { Leniency } from './leniency.ts';
import { PHASE } from './wire/breadcrumb-layout.ts';

const LOAD_CALLS = new Set(['dlopen', 'GetPjrtApi']);

/** A native call in progress. */
interface InFlight {
  name: string;
  /** When it was first seen. */
  since: number;
  deadline: 'load' | 'clientCreate' | 'first' | 'call';
}

/**
 * Decides from successive breadcrumbs whether a deadline has passed. A blocked native call freezes the worker's event loop,
 * so only the parent can do this.
 */
export class Watchdog {
  readonly #deadlines: Deadlines;
  readonly #leniency: Leniency;
  readonly #comeback: Comeback;
  readonly #began: number;
  #last: number;
  #calls = -1;
  /** The call of the worker's own thread, and the one on another thread. */
  #call: InFlight | undefined;
  #pending: InFlight | undefined;
  /** Milliseconds that do not count for the case: those of calls with a longer deadline. */
  #apart = 0;

  constructor(deadlines: Deadlines, leniency: Leniency, comeback: Comeback, now: number) {
    this.#deadlines = deadlines;
    this.#leniency = leniency;
    this.#comeback = comeback;
    this.#began = now;
    this.#last = now;
  }

  /** @returns the missed deadline for which the worker must be killed, if any */
  check(crumb: Crumb | undefined, now: number): Missed | undefined {
    if (crumb) {
      const own = crumb.phase === PHASE.call ? crumb.call : undefined;
      this.#call = this.#follow(crumb.calls === this.#calls ? this.#call : this.#ended(this.#call), own, crumb, now);
      this.#pending = this.#follow(this.#pending, crumb.pending, crumb, now);
      this.#calls = crumb.calls;
    }
    const inFlight = [this.#call, this.#pending].filter((call) => call !== undefined);
    if (inFlight.some(({ deadline }) => deadline !== 'call')) this.#apart += now - this.#last;
    this.#last = now;
    for (const call of inFlight) {
      const ms = this.#limit(call.deadline);
      if (now - call.since > ms) return this.#missed(call, { deadline: call.deadline, ms });
    }
    const ms = this.#limit('case');
    return now - this.#began - this.#apart > ms ? this.#missed(inFlight[0], { deadline: 'case', ms }) : undefined;
  }

  #limit(deadline: InFlight['deadline'] | 'case'): number {
    const asked = this.#deadlines[deadline];
    if (deadline === 'clientCreate') return this.#comeback.limit(asked);
    return deadline === 'call' || deadline === 'case' ? Math.max(asked, this.#leniency.atLeast) : asked;
  }

  /** The call in progress; `before` is the one seen last time. */
  #follow(before: InFlight | undefined, name: string | undefined, crumb: Crumb, now: number): InFlight | undefined {
    if (before?.name === name) return before;
    this.#ended(before);
    return name === undefined ? undefined : { name, since: now, deadline: this.#deadlineOf(name, crumb) };
  }

  /** A call has returned: the time for which it was seen counts. */
  #ended(call: InFlight | undefined): undefined {
    if (call?.deadline === 'call' || call?.deadline === 'first') this.#leniency.back(this.#last - call.since);
    if (call?.deadline === 'clientCreate') this.#comeback.returned(this.#last - call.since);
  }

  #deadlineOf(name: string, { untried }: Crumb): InFlight['deadline'] {
    if (LOAD_CALLS.has(name)) return 'load';
    if (CLIENT_CALLS.has(name)) return 'clientCreate';
    const { first, call } = this.#deadlines;
    return first > call && this.#leniency.grants(name, untried.includes(name)) ? 'first' : 'call';
  }

  #missed(call: InFlight | undefined, missed: Missed): Missed {
    if (call && missed.deadline !== 'load' && missed.deadline !== 'clientCreate') {
      this.#leniency.missed(call.name, call.deadline === 'first', this.#deadlines);
    }
    return missed;
  }
}
