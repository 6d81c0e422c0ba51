import { type Calls, here, type Prepared } from '../pjrt/calls.ts';
import type { PjrtError } from '../pjrt/errors.ts';
import type { Event } from '../pjrt/event.ts';
import type { CaseContext } from './context.ts';
import { RecordedCallback } from './recorded-callback.ts';

const ON_READY = 'PJRT_Event_OnReady';

interface Firing {
  token: bigint;
  error: PjrtError | undefined;
}

/** A callback for PJRT_Event_OnReady. */
export class Watch {
  readonly #context: CaseContext;
  readonly #callback: RecordedCallback;
  readonly #firings: Firing[] = [];

  /** @param inner calls that it makes when it is called first */
  constructor(context: CaseContext, inner: readonly Prepared<unknown>[] = []) {
    this.#context = context;
    this.#callback = new RecordedCallback(context, ON_READY, inner);
  }

  /** Registers it. @param token its user argument */
  *registering({ api, pointer }: Event, token: bigint): Calls<void> {
    yield* api.calling(ON_READY, { event: pointer, callback: this.#callback.address, user_arg: token });
  }

  /** All calls of it so far. */
  get firings(): readonly Firing[] {
    const news = this.#callback.firings().slice(this.#firings.length);
    for (const [error, user] of news.map((firing) => firing.arguments))
      this.#firings.push({
        token: user!,
        error: error === 0n ? undefined : this.#context.api.takeError(error!, ON_READY),
      });
    return this.#firings;
  }

  /** The first call of it. */
  async first(): Promise<Firing> {
    await this.#callback.fired();
    return this.firings[0]!;
  }

  /** What came of an inner call, by its place. */
  result = <T>(inner: Prepared<T>, place: number): T => this.#callback.result(inner, place);
}

/** Registers a callback on an event. */
export function watch(
  context: CaseContext,
  event: Event,
  token: bigint,
  inner: readonly Prepared<unknown>[] = [],
): Watch {
  const watched = new Watch(context, inner);
  here(watched.registering(event, token));
  return watched;
}
