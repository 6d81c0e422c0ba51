import { callback } from '../ffi/function.ts';
import type { PjrtApi } from './api.ts';
import { PjrtError } from './errors.ts';
import { Handle } from './handle.ts';

/** A PJRT_Event that the harness owns. */
export class Event extends Handle {
  readonly kind = 'PJRT_Event';

  isReady(): boolean {
    return this.api.invoke(
      'PJRT_Event_IsReady',
      (call) => call.setWord('event', this.pointer),
      (call) => call.byte('is_ready') !== 0,
    );
  }

  /**
   * Blocks this thread until the event is ready.
   * @throws PjrtError with the event's status
   */
  await(): void {
    this.api.invoke('PJRT_Event_Await', (call) => call.setWord('event', this.pointer));
  }

  /** Waits on another thread: for events whose completion needs a callback into JavaScript. */
  awaitAsync(): Promise<void> {
    return this.api.invokeAsync('PJRT_Event_Await', (call) => call.setWord('event', this.pointer));
  }

  /** Status of a ready event: undefined when it is OK. */
  error(): PjrtError | undefined {
    try {
      this.api.invoke('PJRT_Event_Error', (call) => call.setWord('event', this.pointer));
      return undefined;
    } catch (error) {
      if (error instanceof PjrtError) return error;
      throw error;
    }
  }

  /**
   * Registers a callback. `run` gets the error that the plugin handed over (already destroyed), and the user argument.
   * @param token user_arg
   */
  onReady(token: bigint, run: (error: PjrtError | undefined, token: bigint) => void): void {
    const registered = callback(
      'void PjrtOnReady(void* error, void* user)',
      (error: bigint | null, user: bigint | null) => {
        run(error === null ? undefined : this.api.takeError(error, 'PJRT_Event_OnReady'), user ?? 0n);
        // Released a turn later: the trampoline must outlive the call that is running in it.
        setImmediate(() => registered.release());
      },
    );
    try {
      this.api.invoke('PJRT_Event_OnReady', (call) => {
        call.setWord('event', this.pointer);
        call.setWord('callback', registered.address);
        call.setWord('user_arg', token);
      });
    } catch (error) {
      registered.release();
      throw error;
    }
  }

  /** An event of the caller's own (API 0.89 and newer). */
  static create(api: PjrtApi): Event {
    return new Event(
      api,
      api.invoke(
        'PJRT_Event_Create',
        () => {},
        (call) => call.word('event'),
      ),
    );
  }

  protected release(): void {
    this.api.invoke('PJRT_Event_Destroy', (call) => call.setWord('event', this.pointer));
  }
}
