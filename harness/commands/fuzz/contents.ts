/** The values of arguments and constants. */
import type { HostArray } from '../../knowledge/numerics/array.ts';
import { encode } from '../../knowledge/numerics/codec.ts';
import type { GeneratedData } from '../../knowledge/numerics/data.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import { generate } from '../../knowledge/numerics/generate.ts';
import { type Fact, factOf } from './facts.ts';
import { type Contents, sizeOf, type TensorType } from './ir.ts';

/** As data of a suite. */
export function dataOf(type: TensorType, { of, seed }: Contents): GeneratedData {
  const [name, shape, size] = [type.dtype, [...type.shape], sizeOf(type)];
  if (size === 0) return { values: { dtype: name, shape, of: [] } };
  if (of.length === 1) return { fill: { dtype: name, shape, value: of[0]! } };
  return { draw: { dtype: name, shape, of: of.slice(0, size), seed } };
}

export const arrayOf = (type: TensorType, contents: Contents): HostArray => generate(dataOf(type, contents));

/** What follows from the given values. */
export function factOfContents({ dtype: name }: TensorType, { of }: Contents): Fact {
  const element = dtype(name);
  return factOf(
    name,
    of.map((value) => encode(element, value)),
  );
}
