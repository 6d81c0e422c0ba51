import type { HostArray } from './array.ts';
import { bump, type Histogram } from './histogram.ts';

/** What is counted of elements that pass, in order. */
interface Tally {
  histogram: Histogram;
  maxUlp: number;
  maxUlpIndex: number;
}

/**
 * Counts the elements from one on that pass by the simplest rules: their bits are the same, or both are normal numbers of one
 * sign within the bound. Everything else is left to the rules of compare.ts.
 * @returns the index of the first element that is left to them, or the number of elements
 */
export type CountClose = (from: number, tally: Tally) => number;

/**
 * A fast way through arrays that agree, as nearly all do: no call and no object for an element. Only for real types of whole
 * bytes, up to 32 bits.
 * @param ulp the bound of all elements @param poison byte that the output memory was filled with
 */
export function closeLanes(
  expected: HostArray,
  actual: HostArray,
  ulp: number,
  poison: number | undefined,
): CountClose | undefined {
  const { dtype } = expected;
  const item = dtype.hostBytes;
  if (dtype.component || item > 4 || dtype.bits !== 8 * item) return undefined;
  // Other floats have no infinities, another NaN or no sign; integers pass only if they are the same.
  const { float } = dtype;
  const simple = float?.nan === 'ieee' && float.inf && float.subnormals && item > 1 ? float : undefined;
  return closeRun.bind(undefined, wordsOf(expected), wordsOf(actual), {
    aboveSign: 32 - dtype.bits,
    magnitude: 2 ** (dtype.bits - 1) - 1,
    normal: simple ? 2 ** simple.mantissa : 0,
    largest: simple ? Number(simple.maxFinite) : -1,
    ulp: Math.floor(Math.min(ulp, 2 ** 31 - 1)),
    // In two bytes it may be close to a correct value. Without one: zero, which is no normal number either.
    poison: poison === undefined || item < 4 ? 0 : (poison * 0x01010101) | 0,
  });
}

interface Limits {
  /** Bits of a word above the sign. */
  aboveSign: number;
  /** Mask of the magnitude. */
  magnitude: number;
  /** The smallest and the largest magnitude of a normal number. */
  normal: number;
  largest: number;
  ulp: number;
  poison: number;
}

type Words = Int32Array | Uint16Array | Uint8Array;

function wordsOf({ dtype, bytes }: HostArray): Words {
  const item = dtype.hostBytes;
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % item === 0 ? bytes : bytes.slice();
  if (item === 4) return new Int32Array(buffer, byteOffset, byteLength / 4);
  if (item === 2) return new Uint16Array(buffer, byteOffset, byteLength / 2);
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Distances that are counted one by one; larger ones are counted together. */
const COUNTED = 16;

function closeRun(want: Words, have: Words, limits: Limits, from: number, tally: Tally): number {
  const { aboveSign, magnitude, normal, largest, ulp, poison } = limits;
  const count = have.length;
  const counts = new Uint32Array(COUNTED + 2);
  let { maxUlp, maxUlpIndex } = tally;
  let i = from;
  for (; i < count; i++) {
    const e = want[i]!;
    const a = have[i]!;
    const difference = (e - a) | 0;
    const negative = difference >> 31;
    const distance = (difference ^ negative) - negative;
    const em = e & magnitude;
    const am = a & magnitude;
    // Negative if any of these is. One branch that is hardly ever taken: a processor guesses many that are at random wrong.
    const left =
      (ulp - distance) | (em - normal) | (am - normal) | (largest - em) | (largest - am) | ((e ^ a) << aboveSign);
    if ((left < 0 || a === poison) && e !== a) break;
    counts[distance <= COUNTED ? distance : COUNTED + 1]!++;
    if (distance > maxUlp) {
      maxUlp = distance;
      maxUlpIndex = i;
    }
  }
  if (maxUlpIndex < 0 && i > from) maxUlpIndex = from;
  for (const [distance, elements] of counts.entries()) bump(tally.histogram, distance, elements);
  tally.maxUlp = maxUlp;
  tally.maxUlpIndex = maxUlpIndex;
  return i;
}
