import { pjrtFunctionAt } from './function.ts';
import { c, mapPages } from './libc.ts';
import { readBytes, viewMemory } from './memory.ts';
import { recorderFile } from './recorder-file.ts';
import { recorderLibrary } from './recorder-library.ts';
import type { Firing, InnerCall, Recorder, RecorderOptions } from './recording.ts';

/** Words of struct recorder, slot, firing and call in recorder.c. */
const HEAD = {
  slots: 0,
  slotBytes: 1,
  firingBytes: 2,
  callBytes: 3,
  thread: 4,
  crumb: 5,
  slot: 6,
  functions: 7,
} as const;
const SLOT = {
  count: 0,
  answer: 1,
  name: 2,
  calls: 3,
  numberOfCalls: 4,
  open: 5,
  copyTo: 6,
  copyBytes: 7,
  copied: 8,
  firings: 9,
} as const;
const FIRING = { stage: 0, arguments: 1, thread: 7, words: 10 } as const;
const CALL = { done: 3, answer: 4, words: 5 } as const;
/** Of struct firing. */
const STAGE = { recorded: 1n, returned: 2n } as const;
/** Inner calls that an open recorder has room for. */
const OPEN_CALLS = 32;
const [FIRINGS, ARGUMENTS] = [64, 6];
const SLOT_WORDS = SLOT.firings + FIRINGS * FIRING.words;
const COPY_BYTES = 64 * 1024;

interface Library {
  head: BigUint64Array;
  slots: BigUint64Array;
  /** Slots in the order of their release, so that one that is called too late meets no other user for long. */
  free: number[];
  /** The thread of the harness, its floating-point control and its blocked signals. */
  own: readonly bigint[];
}

let library: Library | null | undefined;

/** Whether the package has native recorders for this system. */
export const hasNativeRecorders = (): boolean => {
  library ??= loadLibrary() ?? null;
  return library !== null;
};

/** A recorder that any thread can call at any time; undefined where there is none, or none left. */
export function nativeRecorder(options: RecorderOptions): Recorder | undefined {
  const slot = hasNativeRecorders() ? library!.free.shift() : undefined;
  return slot === undefined ? undefined : recorderIn(library!, slot, options);
}

function loadLibrary(): Library | undefined {
  const handle = recorderLibrary();
  if (handle === null) return undefined;
  const at = c.dlsym(handle, 'pjrt_recorder')!;
  const size = words(at, HEAD.functions);
  const sizes = [size[HEAD.slotBytes], size[HEAD.firingBytes], size[HEAD.callBytes]].join();
  if (sizes !== [SLOT_WORDS * 8, FIRING.words * 8, CALL.words * 8].join())
    throw new Error(`${recorderFile()} is not of the recorder.c that this package knows: \`npm run build\` makes it`);
  const count = Number(size[HEAD.slots]);
  const made: Library = {
    head: words(at, HEAD.functions + count),
    slots: words(size[HEAD.slot]!, count * SLOT_WORDS),
    free: Array.from({ length: count }, (_, i) => i),
    own: [],
  };
  // A call of this thread says what its state is.
  const first = recorderIn(made, made.free.shift()!, {});
  pjrtFunctionAt(first.address)(0n);
  made.own = [...stateOf(made.slots, SLOT.firings)];
  made.head[HEAD.thread] = made.own[0]!;
  first.release();
  return made;
}

const stateOf = (slots: BigUint64Array, firing: number): BigUint64Array =>
  slots.subarray(firing + FIRING.thread, firing + FIRING.words);

const words = (address: bigint, count: number): BigUint64Array => {
  const { buffer, byteOffset } = viewMemory(address, count * 8);
  return new BigUint64Array(buffer, byteOffset, count);
};

function recorderIn({ head, slots, free, own }: Library, slot: number, options: RecorderOptions): Recorder {
  const { calls = [], open = false, copying = false, crumb } = options;
  const at = slots.subarray(slot * SLOT_WORDS, (slot + 1) * SLOT_WORDS);
  at.fill(0n);
  const room = Math.max(calls.length, open ? OPEN_CALLS : 0);
  // Memory that stays, because the function may be called late.
  at[SLOT.calls] = room === 0 ? 0n : mapPages(room * CALL.words * 8).address;
  at[SLOT.open] = open ? 1n : 0n;
  const inner = room === 0 ? new BigUint64Array() : words(at[SLOT.calls]!, room * CALL.words);
  const make = (call: InnerCall): number => {
    const place = Number(at[SLOT.numberOfCalls]);
    if (place === room) throw new Error(`a callback makes at most ${room} calls`);
    inner.set([call.function, call.arguments, BigInt(call.name)], place * CALL.words);
    at[SLOT.numberOfCalls] = BigInt(place + 1);
    return place;
  };
  calls.forEach(make);
  if (copying) {
    at[SLOT.copyTo] = mapPages(COPY_BYTES).address;
    at[SLOT.copyBytes] = BigInt(COPY_BYTES);
  }
  if (crumb) {
    head[HEAD.crumb] = crumb.address;
    at[SLOT.name] = BigInt(crumb.name);
  }
  const firingsAt = Array.from({ length: FIRINGS }, (_, i) => SLOT.firings + i * FIRING.words);
  const upTo = (stage: bigint): Firing[] => {
    const other = firingsAt.findIndex((i) => at[i + FIRING.stage]! < stage);
    return firingsAt.slice(0, other < 0 ? FIRINGS : other).map((i) => ({
      arguments: [...at.subarray(i + FIRING.arguments, i + FIRING.arguments + ARGUMENTS)],
      ...threadOf(stateOf(at, i), own),
    }));
  };
  return {
    address: head[HEAD.functions + slot]!,
    count: () => Number(at[SLOT.count]),
    firings: () => upTo(STAGE.returned),
    entries: () => upTo(STAGE.recorded),
    make,
    close: () => {
      at[SLOT.open] = 0n;
    },
    answer: (call) => {
      const [done, answer] = inner.subarray(call * CALL.words + CALL.done);
      return done === 0n ? undefined : answer;
    },
    copies: () => {
      let from = at[SLOT.copyTo]!;
      return upTo(STAGE.returned)
        .flatMap((firing) => [firing.arguments[1]!, firing.arguments[3]!])
        .map((size) => {
          from += size;
          return readBytes(from - size, Number(size));
        });
    },
    reset: () => {
      at[SLOT.count] = 0n;
      at[SLOT.copied] = 0n;
      at.fill(0n, SLOT.firings);
    },
    release: () => {
      at[SLOT.numberOfCalls] = 0n;
      at[SLOT.open] = 0n;
      if (at[SLOT.count] !== 0n) free.push(slot);
    },
  };
}

function threadOf([thread, float, blocked]: BigUint64Array, own: readonly bigint[]): Pick<Firing, 'own' | 'changed'> {
  if (thread !== own[0]) return { own: false, changed: [] };
  return {
    own: true,
    changed: [...(float === own[1] ? [] : ['float' as const]), ...(blocked === own[2] ? [] : ['signals' as const])],
  };
}
