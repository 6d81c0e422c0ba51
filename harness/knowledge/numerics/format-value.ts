/** Text of element values: the shortest decimal that reads back as the same bits, and the bits in hexadecimal. */
import { type Bits, decode, encode } from './codec.ts';
import type { DType } from './dtypes.ts';

/** The bits as `0x…`, with as many digits as the type has (complex: real and imaginary part). */
export function formatBits(type: DType, bits: Bits): string {
  const part = type.component;
  if (part) {
    const all = BigInt(bits);
    return `${formatBits(part, BigInt.asUintN(part.bits, all))},${formatBits(part, all >> BigInt(part.bits))}`;
  }
  return `0x${BigInt.asUintN(type.bits, BigInt(bits))
    .toString(16)
    .padStart(Math.ceil(type.bits / 4), '0')}`;
}

/** The shortest decimal that reads back as the same value; `-0`, `nan`, `inf` spelled out. */
export function formatDecimal(type: DType, bits: Bits): string {
  const value = decode(type, bits);
  if (typeof value === 'object') {
    const part = type.component!;
    const all = BigInt(bits);
    const im = formatDecimal(part, BigInt.asUintN(part.bits, all >> BigInt(part.bits)));
    return `${formatDecimal(part, BigInt.asUintN(part.bits, all))}${im.startsWith('-') ? '' : '+'}${im}i`;
  }
  if (typeof value === 'bigint') return String(value);
  if (type.kind !== 'float' || Number.isInteger(value)) return Object.is(value, -0) ? '-0' : String(value);
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (type.name === 'f64') return String(value);
  const own = BigInt.asUintN(type.bits, BigInt(bits));
  for (let digits = 1; digits <= 17; digits++) {
    const text = value.toPrecision(digits);
    // Rounding up the largest value can overflow; such a text is not the answer.
    if (readsBack(type, text, own)) return String(Number(text));
  }
  return String(value);
}

const readsBack = (type: DType, text: string, bits: bigint): boolean => {
  try {
    return BigInt(encode(type, text)) === bits;
  } catch {
    return false;
  }
};
