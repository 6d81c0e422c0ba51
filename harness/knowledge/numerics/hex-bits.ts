import type { HexBits } from '../../model/mismatch-numbers.ts';
import { elementCount, type HostArray, reader } from './array.ts';
import type { Bits } from './codec.ts';
import type { DType } from './dtypes.ts';
import { formatBits } from './format-value.ts';

/** The bits of all elements, row-major: `3f800000 40000000`. */
export function hexBits(array: HostArray): HexBits {
  const read = reader(array);
  const bits = Array.from({ length: elementCount(array.shape) }, (_, i) => formatBits(array.dtype, read(i)));
  return bits.join(' ').replaceAll('0x', '');
}

/**
 * The bits of each element of a text that {@link hexBits} wrote.
 * @returns undefined for a text that no array of the type has
 */
export function parseHexBits(text: HexBits, type: DType): Bits[] | undefined {
  if (text === '') return [];
  const part = type.component ?? type;
  const digits = Math.ceil(part.bits / 4);
  const form = new RegExp(`^[0-9a-f]{${digits}}${type.component ? `,[0-9a-f]{${digits}}` : ''}$`);
  const words = text.split(' ');
  if (!words.every((word) => form.test(word))) return undefined;
  return words.map((word) => {
    const [real, imaginary] = word.split(',').map((hex) => BigInt(`0x${hex}`)) as [bigint, bigint?];
    if (imaginary !== undefined) return real | (imaginary << BigInt(part.bits));
    return type.hostBytes >= 8 ? real : Number(real);
  });
}
