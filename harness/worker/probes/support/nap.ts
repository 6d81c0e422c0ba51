/** Sleeps on this thread, which does nothing else meanwhile. */
export const nap = (ms: number): void => void Atomics.wait(cell, 0, 0, ms);

const cell = new Int32Array(new SharedArrayBuffer(4));
