import { POISON } from '../../pjrt/buffer.ts';
import type { CaseContext } from '../../steps/context.ts';

/** How many bytes before and behind are watched. */
const BESIDE = 64;

/** A destination in host memory, poisoned, with more poison before and behind it. */
export interface Room {
  address: bigint;
  /** Its bytes. */
  bytes: Uint8Array;
  /** Whether something was written before or behind it. */
  overrun(): boolean;
  /** Whether nothing was written, neither in it nor beside it. */
  untouched(): boolean;
}

/**
 * A destination for so many bytes.
 * @param misaligned bytes by which it is off a multiple of 64
 */
export function poisonedRoom(context: CaseContext, size: number, misaligned = 0): Room {
  const block = context.arena.alloc(BESIDE + misaligned + size + BESIDE, 64);
  block.bytes.fill(POISON);
  const from = BESIDE + misaligned;
  const poisoned = (bytes: Uint8Array): boolean => bytes.every((b) => b === POISON);
  return {
    address: block.address + BigInt(from),
    bytes: block.bytes.subarray(from, from + size),
    overrun: () => !(poisoned(block.bytes.subarray(0, from)) && poisoned(block.bytes.subarray(from + size))),
    untouched: () => poisoned(block.bytes),
  };
}
