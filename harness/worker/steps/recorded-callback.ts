import { setTimeout as pauseFor } from 'node:timers/promises';
import { hasNativeRecorders } from '../ffi/native-recorder.ts';
import { record } from '../ffi/recorder.ts';
import type { Firing, Recorder } from '../ffi/recording.ts';
import { type Calls, inTurn, type Prepared, prepare } from '../pjrt/calls.ts';
import type { CaseContext } from './context.ts';
import { NotSupported } from './outcome.ts';

/** Turns of the event loop before a wait begins to pause. */
const EAGER_TURNS = 50;
const PAUSE_MS = 1;

/** What a callback on the thread of its caller must find as the caller left it. */
const STATE = {
  float: { requirement: 'HYG-FP-001', what: 'floating-point control' },
  signals: { requirement: 'HYG-SIG-002', what: 'set of blocked signals' },
} as const;

/**
 * Prepares a call for a callback to make, on the thread that runs the callback.
 * @throws NotSupported where the package has no native code for that
 */
export function prepareInner<T>(calls: Calls<T>): Prepared<T> {
  demandNative();
  return prepare(calls);
}

function demandNative(): void {
  if (hasNativeRecorders()) return;
  throw new NotSupported(
    `calls from inside a callback need native code, and the package has none for ${process.platform}-${process.arch}`,
  );
}

/** A callback that records what it is called with, for as long as the case lasts. */
export class RecordedCallback {
  readonly #context: CaseContext;
  readonly #of: string;
  readonly #recorder: Recorder;
  #over = false;

  /**
   * @param of the function that it is given to
   * @param inner calls that it makes when it is called first; `open` if it then waits for those of `inside`
   */
  constructor(context: CaseContext, of: string, inner: readonly Prepared<unknown>[] | 'open' = []) {
    if (inner === 'open') demandNative();
    const { breadcrumb } = context.instrument;
    this.#context = context;
    this.#of = of;
    this.#recorder = record({
      crumb: breadcrumb && { address: breadcrumb.innerAddress, name: breadcrumb.id(of) },
      ...(inner === 'open' ? { open: true } : { calls: inner.map(({ call }) => call.inner) }),
    });
    context.scope.defer(() => {
      this.#over = true;
      this.#recorder.release();
    });
  }

  get address(): bigint {
    return this.#recorder.address;
  }

  count = (): number => this.#recorder.count();
  firings = (): Firing[] => this.#recorder.firings();

  /** What came of an inner call, by its place. */
  result = <T>(inner: Prepared<T>, place: number): T => inner.finish(this.#recorder.answer(place)!);

  /** Waits until it is called; for ever if it never is. @returns its arguments */
  async entered(): Promise<readonly bigint[]> {
    await this.#until(() => this.#recorder.entries().length > 0);
    return this.#recorder.entries()[0]!.arguments;
  }

  /** Makes calls inside it, after it was entered, and before `close`. */
  inside = <T>(calls: Calls<T>): Promise<T> =>
    inTurn(calls, async (call) => {
      const place = this.#recorder.make(call.inner);
      await this.#until(() => this.#recorder.answer(place) !== undefined);
      call.made(this.#recorder.answer(place)!);
    });

  /** It may return. */
  close = (): void => this.#recorder.close();

  async #until(isSo: () => boolean): Promise<void> {
    for (let turn = 0; !isSo(); turn++) {
      if (this.#over) return new Promise(() => {});
      if (turn < EAGER_TURNS) await new Promise((resolve) => setImmediate(resolve));
      else await pauseFor(PAUSE_MS);
    }
  }

  /** Waits until it has returned; for ever if it is never called. */
  async fired(): Promise<void> {
    await this.#until(() => this.firings().length > 0);
    for (const changed of this.firings()[0]!.changed) {
      const { requirement, what } = STATE[changed];
      this.#context.report({
        type: 'pjrt.CallbackContract',
        level: 'should',
        message: `a callback of ${this.#of} runs on the thread of its caller with another ${what} than the caller's`,
        call: this.#of,
        requirements: [requirement],
      });
    }
  }
}
