import type { HostArray } from './array.ts';
import { CloseElements, type Closeness, LEFT, WITHIN_ABSOLUTE } from './close-elements.ts';
import { alignedTo } from './lanes.ts';

/** The high words of the smallest and the largest normal magnitude. */
const NORMAL = 0x0010_0000;
const LARGEST = 0x7fef_ffff;

/** The fast way through 64-bit types: a word for each half. */
export class CloseDoubles extends CloseElements {
  readonly #want: Int32Array;
  readonly #have: Int32Array;
  /** The same as numbers; absent for integers, which pass only if they are the same. */
  readonly #values: { want: Float64Array; have: Float64Array } | undefined;
  readonly #ulp: number;
  readonly #atol: number;
  /** Both words of memory that was never written. Without one: zero, which is no normal number. */
  readonly #poison: number;

  private constructor(expected: HostArray, actual: HostArray, { ulp, atol = 0, poison }: Closeness) {
    super(actual.bytes.length / 8);
    const [want, have] = [alignedTo(8, expected.bytes), alignedTo(8, actual.bytes)];
    const words = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
      new Int32Array(buffer, byteOffset, byteLength / 4);
    const numbers = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
      new Float64Array(buffer, byteOffset, byteLength / 8);
    this.#want = words(want);
    this.#have = words(have);
    this.#values = expected.dtype.float && { want: numbers(want), have: numbers(have) };
    // Distances are exact up to there; below the smallest normal number, in steps, no bound reaches across zero.
    this.#ulp = Math.floor(Math.min(ulp, 2 ** 52));
    this.#atol = ulp < 2 ** 52 ? atol : 0;
    this.#poison = poison === undefined ? 0 : (poison * 0x01010101) | 0;
  }

  /** Undefined for other types. */
  static of(expected: HostArray, actual: HostArray, closeness: Closeness): CloseDoubles | undefined {
    const { bits, component } = expected.dtype;
    return bits === 64 && !component ? new CloseDoubles(expected, actual, closeness) : undefined;
  }

  distance(lane: number): number {
    const [low, high] = [2 * lane, 2 * lane + 1];
    const eh = this.#want[high]!;
    const ah = this.#have[high]!;
    const el = this.#want[low]!;
    const al = this.#have[low]!;
    if (eh === ah && el === al) return 0;
    const values = this.#values;
    const em = eh & 0x7fff_ffff;
    const am = ah & 0x7fff_ffff;
    if (!values || em < NORMAL || am < NORMAL || em > LARGEST || am > LARGEST) return LEFT;
    if (ah === this.#poison && al === this.#poison) return LEFT;
    const distance = Math.abs((em - am) * 2 ** 32 + ((el >>> 0) - (al >>> 0)));
    if ((eh ^ ah) >= 0 && distance <= this.#ulp) return distance;
    // Rounding the difference cannot hide that it is less.
    return Math.abs(values.want[lane]! - values.have[lane]!) < this.#atol ? WITHIN_ABSOLUTE : LEFT;
  }
}
