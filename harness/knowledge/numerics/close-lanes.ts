import type { HostArray } from './array.ts';
import { CloseElements, type Closeness, LEFT, WITHIN_ABSOLUTE } from './close-elements.ts';
import type { DType } from './dtypes.ts';
import { alignedTo, laneValue } from './lanes.ts';

type Words = Int32Array | Uint16Array | Uint8Array;

/** The fast way through real numbers of whole bytes, up to 32 bits. */
export class CloseLanes extends CloseElements {
  readonly #want: Words;
  readonly #have: Words;
  readonly #limits: Limits;
  readonly #values: Values | undefined;

  private constructor(want: Words, have: Words, limits: Limits, values: Values | undefined) {
    super(have.length);
    this.#want = want;
    this.#have = have;
    this.#limits = limits;
    this.#values = values;
  }

  /** Undefined for other types. */
  static of(expected: HostArray, actual: HostArray, { ulp, atol = 0, poison }: Closeness): CloseLanes | undefined {
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

  distance(lane: number): number {
    const e = this.#want[lane]!;
    const a = this.#have[lane]!;
    if (e === a) return 0;
    const { aboveSign, magnitude, normal, largest, ulp, atol, poison } = this.#limits;
    const em = e & magnitude;
    const am = a & magnitude;
    if (em < normal || am < normal || em > largest || am > largest || a === poison) return LEFT;
    const distance = Math.abs(e - a);
    if (distance <= ulp && (e ^ a) << aboveSign >= 0) return distance;
    const values = this.#values;
    if (!values) return LEFT;
    // Rounding the difference cannot hide that it is less.
    const difference = values.table ? values.table[e]! - values.table[a]! : values.want[lane]! - values.have[lane]!;
    return difference < atol && difference > -atol ? WITHIN_ABSOLUTE : LEFT;
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
