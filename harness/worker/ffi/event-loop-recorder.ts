import { callback, pjrtFunctionAt } from './function.ts';
import { readBytes } from './memory.ts';
import type { Firing, InnerCall, Recorder, RecorderOptions } from './recording.ts';

/** A recorder in JavaScript: it is called when the event loop runs, on this thread. */
export function eventLoopRecorder({ calls = [], copying = false }: RecorderOptions): Recorder {
  const firings: Firing[] = [];
  const answers: bigint[] = [];
  const copies: Uint8Array[] = [];
  let count = 0;
  let live = true;
  const make = (call: InnerCall): number => answers.push(pjrtFunctionAt(call.function)(call.arguments) ?? 0n) - 1;
  const registered = callback(SIGNATURE, (...given: (number | bigint)[]) => {
    const all = given.map((word) => BigInt.asUintN(64, BigInt(word)));
    if (copying) for (const i of [0, 2]) copies.push(readBytes(all[i]!, Number(all[i + 1])));
    if (count++ === 0 && live) for (const call of calls) make(call);
    firings.push({ arguments: all, own: false, changed: [] });
    return 0n;
  });
  return {
    address: registered.address,
    count: () => count,
    firings: () => [...firings],
    entries: () => [...firings],
    make,
    close: () => {},
    answer: (call) => answers[call],
    copies: () => [...copies],
    reset: () => {
      count = firings.length = copies.length = 0;
    },
    release: () => {
      live = false;
      if (count > 0) registered.release();
    },
  };
}

const SIGNATURE = 'uint64_t PjrtRecorded(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)';
