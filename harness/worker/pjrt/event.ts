import type { PjrtApi } from './api.ts';
import { type Calls, elsewhere, here } from './calls.ts';
import { errorOf, PjrtError } from './errors.ts';
import { Handle } from './handle.ts';

const AWAIT = 'PJRT_Event_Await';
const IS_READY = 'PJRT_Event_IsReady';

const FIRST_PAUSE_MS = 0.1;
const LONGEST_PAUSE_MS = 10;

/** A PJRT_Event that the harness owns. */
export class Event extends Handle {
  readonly kind = 'PJRT_Event';
  protected readonly field = 'event';

  isReady = (): boolean => this.invoke(IS_READY, (call) => call.byte('is_ready') !== 0);

  /**
   * Blocks this thread until the event is ready. No framework calls PJRT_Event_Await, so a plugin without it is polled.
   * @throws PjrtError with the event's status
   */
  await = (): void => here(this.waiting());

  /** Waits on another thread: for events whose completion needs a callback into JavaScript. */
  awaitAsync = (): Promise<void> => elsewhere(this.waiting());

  *waiting(): Calls<void> {
    if (this.api.has(AWAIT) || !this.api.has(IS_READY)) {
      try {
        return yield* this.api.calling(AWAIT, this.filled());
      } catch (error) {
        this.#demandStub(error);
      }
    }
    for (let pause = FIRST_PAUSE_MS; !this.isReady(); pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) yield pause;
    const error = this.error();
    if (error) throw error;
  }

  /** PJRT_Event_Await itself, for checks of that function. @throws AbsentError, PjrtError */
  callAwait(): void {
    this.invoke(AWAIT);
  }

  /** PJRT_Event_Await itself on another thread, for checks of that function. @throws AbsentError, PjrtError */
  callAwaitAsync(): Promise<void> {
    return this.api.invokeAsync(AWAIT, this.filled());
  }

  /**
   * PJRT_Event_Await has returned an error. UNIMPLEMENTED may be the status of the event, or of the function.
   * @throws the error, if it is the status of the event, or if the function has no substitute
   */
  #demandStub(error: unknown): void {
    if (!(error instanceof PjrtError) || error.codeName !== 'UNIMPLEMENTED' || !this.api.has(IS_READY)) throw error;
    let ready: boolean;
    try {
      ready = this.isReady();
    } catch {
      throw error;
    }
    const status = ready ? this.error() : undefined;
    if (status?.codeName === error.codeName) throw status.text === error.text ? error : status;
  }

  /** Status of a ready event: undefined if it is OK. */
  error(): PjrtError | undefined {
    return errorOf(() => this.invoke('PJRT_Event_Error'));
  }

  /** An event created by the caller (API 0.89 and newer). */
  static create = (api: PjrtApi): Event =>
    api.invoke('PJRT_Event_Create', {}, (call) => new Event(api, call.word('event')));

  protected release(): void {
    this.invoke('PJRT_Event_Destroy');
  }
}
