import type { HostArray } from './array.ts';
import type { DType } from './dtypes.ts';
import { bump, type Histogram } from './histogram.ts';
import { alignedTo, laneValue } from './lanes.ts';

/** What is counted of elements that pass. */
interface Tally {
  histogram: Histogram;
  countAbsolute: number;
  maxUlp: number;
  maxUlpIndex: number;
}

/** Distances that are counted one by one; larger ones are counted together. */
const COUNTED = 16;

type Words = Int32Array | Uint16Array | Uint8Array;

/**
 * A fast way through arrays that agree, as nearly all do: no call and no object for an element. It counts elements that pass by
 * the simplest rules: their bits are the same, or both are normal numbers, of one sign and within the bound in ULP, or within
 * the absolute bound. Everything else is left to the rules of compare.ts.
 */
export class CloseLanes {
  readonly #want: Words;
  readonly #have: Words;
  readonly #limits: Limits;
  /** Elements by distance. */
  readonly #counts = new Uint32Array(COUNTED + 2);
  readonly #values: Values | undefined;
  /** Elements that pass by the absolute bound alone. */
  #absolute = 0;
  #maxUlp = 0;
  #maxUlpIndex = -1;

  private constructor(want: Words, have: Words, limits: Limits, values: Values | undefined) {
    this.#want = want;
    this.#have = have;
    this.#limits = limits;
    this.#values = values;
  }

  /**
   * Only for real types of whole bytes, up to 32 bits; undefined for others.
   * @param bounds those of all elements
   * @param poison byte that the output memory was filled with
   */
  static of(
    expected: HostArray,
    actual: HostArray,
    { ulp, atol = 0 }: { ulp: number; atol?: number | undefined },
    poison: number | undefined,
  ): CloseLanes | undefined {
    const { dtype } = expected;
    const item = dtype.hostBytes;
    if (dtype.component || item > 4 || dtype.bits !== 8 * item) return undefined;
    // Other floats have no infinities, another NaN or no sign; integers pass only if they are the same.
    const { float } = dtype;
    const simple = float?.nan === 'ieee' && float.inf && float.subnormals && item > 1 ? float : undefined;
    const [want, have] = [wordsOf(expected), wordsOf(actual)];
    // Below the smallest normal number, in steps, no bound reaches across zero.
    const values = simple && atol > 0 && ulp < 2 ** simple.mantissa ? valuesOf(dtype, want, have) : undefined;
    const limits = {
      aboveSign: 32 - dtype.bits,
      magnitude: 2 ** (dtype.bits - 1) - 1,
      normal: simple ? 2 ** simple.mantissa : 0,
      largest: simple ? Number(simple.maxFinite) : -1,
      ulp: Math.floor(Math.min(ulp, 2 ** 31 - 1)),
      atol,
      // In two bytes it may be close to a correct value. Without one: zero, which is no normal number either.
      poison: poison === undefined || item < 4 ? 0 : (poison * 0x01010101) | 0,
    };
    return new CloseLanes(want, have, limits, values);
  }

  /** Counts the elements from one on. @returns the first that is left to the rules, or the number of elements */
  skip(from: number): number {
    const [want, have, counts] = [this.#want, this.#have, this.#counts];
    const { aboveSign, magnitude, normal, largest, ulp, poison } = this.#limits;
    const count = have.length;
    let maxUlp = this.#maxUlp;
    let maxUlpIndex = this.#maxUlpIndex;
    let i = from;
    for (; i < count; i++) {
      const e = want[i]!;
      const a = have[i]!;
      const difference = (e - a) | 0;
      const negative = difference >> 31;
      const distance = (difference ^ negative) - negative;
      const em = e & magnitude;
      const am = a & magnitude;
      // Negative if any of these is: one branch that is hardly ever taken, because a processor guesses wrong at random ones.
      const left =
        (ulp - distance) | (em - normal) | (am - normal) | (largest - em) | (largest - am) | ((e ^ a) << aboveSign);
      if ((left < 0 || a === poison) && e !== a) {
        if (this.#isWithin(i, e, a)) continue;
        break;
      }
      counts[distance <= COUNTED ? distance : COUNTED + 1]!++;
      if (distance > maxUlp || maxUlpIndex < 0) {
        maxUlp = distance;
        maxUlpIndex = i;
      }
    }
    this.#maxUlp = maxUlp;
    this.#maxUlpIndex = maxUlpIndex;
    return i;
  }

  /** Whether two normal numbers are less than the absolute bound apart, which the rounding of their difference cannot hide. */
  #isWithin(i: number, e: number, a: number): boolean {
    const values = this.#values;
    if (!values) return false;
    const { magnitude, normal, largest, atol, poison } = this.#limits;
    const em = e & magnitude;
    const am = a & magnitude;
    if (em < normal || am < normal || em > largest || am > largest || a === poison) return false;
    const difference = values.table ? values.table[e]! - values.table[a]! : values.want[i]! - values.have[i]!;
    if (!(difference < atol && difference > -atol)) return false;
    this.#absolute++;
    return true;
  }

  /** Adds what was counted to what the rules counted. */
  addTo(tally: Tally): void {
    for (const [distance, elements] of this.#counts.entries()) bump(tally.histogram, distance, elements);
    bump(tally.histogram, 'abs', this.#absolute);
    tally.countAbsolute += this.#absolute;
    if (this.#maxUlpIndex < 0) return;
    const first = tally.maxUlpIndex < 0 || this.#maxUlpIndex < tally.maxUlpIndex;
    if (tally.maxUlpIndex >= 0 && (this.#maxUlp < tally.maxUlp || (this.#maxUlp === tally.maxUlp && !first))) return;
    tally.maxUlp = this.#maxUlp;
    tally.maxUlpIndex = this.#maxUlpIndex;
  }
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
  /** The absolute bound; 0 for none. */
  atol: number;
  poison: number;
}

/** The bits of all elements; of 32 bits as signed numbers, with which a processor computes. */
function wordsOf({ dtype, bytes }: HostArray): Words {
  const item = dtype.hostBytes;
  const { buffer, byteOffset, byteLength } = alignedTo(item, bytes);
  if (item === 4) return new Int32Array(buffer, byteOffset, byteLength / 4);
  if (item === 2) return new Uint16Array(buffer, byteOffset, byteLength / 2);
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The values of all elements, or of all patterns of a type of 16 bits. */
type Values = { want: Float32Array; have: Float32Array; table?: never } | { table: Float32Array };

function valuesOf(type: DType, want: Words, have: Words): Values {
  if (type.bits === 32) {
    const floats = ({ buffer, byteOffset, length }: Words) => new Float32Array(buffer, byteOffset, length);
    return { want: floats(want), have: floats(have) };
  }
  const known = tables.get(type.name);
  if (known) return { table: known };
  const value = laneValue(type);
  const table = Float32Array.from({ length: 2 ** 16 }, (_, bits) => value(0, bits));
  tables.set(type.name, table);
  return { table };
}

const tables = new Map<string, Float32Array>();
