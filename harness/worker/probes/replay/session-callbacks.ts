import { callbackIn } from '../../../knowledge/trace/bodies.ts';
import type { NamedRecord } from '../../../knowledge/trace/named-records.ts';
import { record as recorder } from '../../ffi/recorder.ts';
import type { Recorder } from '../../ffi/recording.ts';
import { nap } from '../support/nap.ts';
import { isReady, type Replaying } from './replaying.ts';

export const ON_READY = 'PJRT_Event_OnReady';

/** Milliseconds for callbacks that are still to come when all objects are destroyed. */
const LAST = 5_000;

/** Callbacks that have been called and are watched: a second call of one comes soon. */
const WATCHED = 256;

/** The callbacks of a session, each in the place of the one that its caller has given. */
export class SessionCallbacks {
  readonly #replaying: Replaying;
  /** Those that have not been called here, by the order of the call that gave them. */
  readonly #open = new Map<number, Recorder>();
  /** Those that had been called at this place of the recording, and not here. */
  readonly #late = new Set<number>();
  /** Recorded addresses of events that live, by the order of the call that gave the callback. */
  readonly #events = new Map<number, bigint>();
  readonly #orders = new Map<bigint, number[]>();
  readonly #called = new Map<number, Recorder>();

  constructor(replaying: Replaying) {
    this.#replaying = replaying;
  }

  /** A function for a call. @param event recorded address of the event that it is for */
  give(order: number, event: bigint): bigint {
    const made = recorder();
    this.#open.set(order, made);
    this.#events.set(order, event);
    this.#orders.set(event, [...(this.#orders.get(event) ?? []), order]);
    return made.address;
  }

  /** An event is about to be destroyed, or another one is at its address. */
  ends(event: bigint): void {
    for (const order of this.#orders.get(event) ?? []) this.#events.delete(order);
    this.#orders.delete(event);
  }

  /** The call that it was for has failed. */
  refused(order: number): void {
    this.#open.get(order)?.release();
    this.#open.delete(order);
    this.#events.delete(order);
  }

  /** A callback was called at this place of the recording. */
  calledBack({ record }: NamedRecord): void {
    const made = this.#open.get(record.of);
    if (!made) return;
    if (made.firings().length === 0) {
      this.#late.add(record.of);
      return;
    }
    if (made.firings()[0]!.arguments[1] !== BigInt(record.of))
      this.#wrong(record.of, 'its callback does not get the argument that its caller gave for it');
    const error = this.#takeError(made);
    this.#demandReady(record.of);
    this.#open.delete(record.of);
    this.#watch(record.of, made);
    if (error && !callbackIn(record).error) this.#replaying.tally.fails(record.of, ON_READY, error);
  }

  /** All objects are destroyed. @returns how many callbacks came later than they were recorded */
  end(): number {
    const deadline = performance.now() + LAST;
    for (const order of this.#late) {
      const made = this.#open.get(order)!;
      while (made.count() === 0 && performance.now() < deadline) nap(5);
      if (made.count() === 0) this.#wrong(order, 'its callback was called there, and is not called here');
    }
    for (const [order, made] of [...this.#open, ...this.#called]) this.#demandOnce(order, made);
    return this.#late.size;
  }

  release(): void {
    for (const made of this.#open.values()) this.#takeError(made);
    for (const made of [...this.#open.values(), ...this.#called.values()]) made.release();
    this.#open.clear();
    this.#called.clear();
  }

  #watch(order: number, made: Recorder): void {
    this.#called.set(order, made);
    if (this.#called.size <= WATCHED) return;
    const [oldest] = this.#called;
    this.#demandOnce(...oldest!);
    this.#called.delete(oldest![0]);
    oldest![1].release();
  }

  #demandReady(order: number): void {
    const event = this.#events.get(order);
    this.#events.delete(order);
    if (event === undefined || isReady(this.#replaying, event) !== false) return;
    this.#wrong(order, 'its callback is called before the event is ready');
  }

  #demandOnce(order: number, made: Recorder): void {
    const times = made.count();
    if (times > 1) this.#wrong(order, `its callback is called ${times} times`);
  }

  #takeError(made: Recorder) {
    const given = made.firings()[0]?.arguments[0] ?? 0n;
    return given === 0n ? undefined : this.#replaying.context.api.takeError(given, ON_READY);
  }

  #wrong(order: number, what: string): void {
    const message = `call ${order} of the recording: ${what}`;
    this.#replaying.tally.wrong({ type: 'pjrt.Replay', message, call: ON_READY, requirements: ['RPL-EVT-001'] });
  }
}
