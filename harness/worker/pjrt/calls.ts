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
export async function elsewhere<T>(calls: Calls<T>): Promise<T> {
  for (let next = calls.next(); ; ) {
    if (next.done) return next.value;
    try {
      if (typeof next.value === 'number') await pauseFor(next.value);
      else await next.value.runAsync();
    } catch (error) {
      next = calls.throw(error);
      continue;
    }
    next = calls.next();
  }
}

/** What takes no call at all. */
// biome-ignore lint/correctness/useYield: it only looks like calls to who runs them
export function* noCalls<T>(make: () => T): Calls<T> {
  return make();
}
