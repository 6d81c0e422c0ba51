import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Call } from './call.ts';

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Native calls in the order in which they are made, and what comes of them. Who runs them decides on which thread: here, or on
 * others. A number is a pause in milliseconds.
 */
export type Calls<T> = Generator<Call | number, T, undefined>;

/** Makes the calls on this thread. */
export function here<T>(calls: Calls<T>): T {
  for (let next = calls.next(); ; ) {
    if (next.done) return next.value;
    try {
      if (typeof next.value === 'number') Atomics.wait(sleeper, 0, 0, next.value);
      else next.value.run();
    } catch (error) {
      next = calls.throw(error);
      continue;
    }
    next = calls.next();
  }
}

/** Makes each call on another thread: for those that may wait for a callback into JavaScript, or are to meet others. */
export const elsewhere = <T>(calls: Calls<T>): Promise<T> => inTurn(calls, (call) => call.runAsync());

/** Makes each call in the way that is given, which throws its error. */
export async function inTurn<T>(calls: Calls<T>, make: (call: Call) => Promise<void>): Promise<T> {
  for (let next = calls.next(); ; ) {
    if (next.done) return next.value;
    try {
      if (typeof next.value === 'number') await pauseFor(next.value);
      else await make(next.value);
    } catch (error) {
      next = calls.throw(error);
      continue;
    }
    next = calls.next();
  }
}

/** One call that a callback is to make. */
export interface Prepared<T> {
  call: Call;
  /** What came of it. @param answer what the function returned @throws PjrtError */
  finish(answer: bigint): T;
}

/** Prepares what takes one call, without making it. */
export function prepare<T>(calls: Calls<T>): Prepared<T> {
  const { value: call, done } = calls.next();
  if (done || typeof call === 'number') throw new Error('what a callback does must begin with a call');
  return {
    call,
    finish: (answer) => {
      let end: IteratorResult<Call | number, T>;
      try {
        call.made(answer);
        end = calls.next();
      } catch (error) {
        end = calls.throw(error);
      }
      if (!end.done) throw new Error(`${call.name} is not all that this takes`);
      return end.value;
    },
  };
}

/** What takes no call at all. */
// biome-ignore lint/correctness/useYield: it only looks like calls to who runs them
export function* noCalls<T>(make: () => T): Calls<T> {
  return make();
}
