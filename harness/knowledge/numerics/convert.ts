/** Arrays in another element type. */
import { ArrayError, build, type HostArray, indexOf, reader } from './array.ts';
import { decode, encode } from './codec.ts';
import { type DType, DTypeError } from './dtypes.ts';

/** The array in another element type. @throws ArrayError if a value would be lost beyond rounding: out of range, or no integer */
export function converted(array: HostArray, type: DType): HostArray {
  const { dtype: from, shape } = array;
  const read = reader(array);
  return build(type, shape, (i) => {
    const value = decode(from, read(i));
    const lost = (): never => {
      const shown = typeof value === 'object' ? `${value.re}+${value.im}i` : value;
      throw new ArrayError(`${shown} at [${indexOf(shape, i)}] does not fit ${type.name}`);
    };
    try {
      const bits = encode(type, value);
      const back = decode(type, bits);
      const exact = from.kind !== 'float' && from.kind !== 'complex';
      const kept =
        exact && typeof back === 'number' ? Number.isFinite(back) && BigInt(back) === BigInt(value as number) : true;
      return kept && bounded(back) === bounded(value) ? bits : lost();
    } catch (error) {
      if (error instanceof DTypeError) return lost();
      throw error;
    }
  });
}

const bounded = (value: ReturnType<typeof decode>): boolean =>
  typeof value === 'object'
    ? Number.isFinite(value.re) && Number.isFinite(value.im)
    : typeof value === 'bigint' || Number.isFinite(value);
