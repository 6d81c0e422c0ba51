/** The values of arguments and constants. */
import { type HostArray, reader } from '../../knowledge/numerics/array.ts';
import { encode } from '../../knowledge/numerics/codec.ts';
import type { GeneratedData } from '../../knowledge/numerics/data.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import { generate } from '../../knowledge/numerics/generate.ts';
import { type Fact, factOf } from './facts.ts';
import { type Contents, need, sizeOf, type TensorType } from './ir.ts';

/** As data of a suite. */
export function dataOf(type: TensorType, { of, seed, bits }: Contents): GeneratedData {
  const [name, shape, size] = [type.dtype, [...type.shape], sizeOf(type)];
  if (bits) return { bits: { dtype: name, shape, of: of.slice(0, size).map(String) } };
  if (size === 0) return { values: { dtype: name, shape, of: [] } };
  if (of.length === 1) return { fill: { dtype: name, shape, value: of[0]! } };
  return { draw: { dtype: name, shape, of: of.slice(0, size), seed } };
}

export const arrayOf = (type: TensorType, contents: Contents): HostArray => generate(dataOf(type, contents));

/** What follows from the given values. */
export function factOfContents(type: TensorType, { of, bits }: Contents): Fact {
  const element = dtype(type.dtype);
  need(!bits || of.length === sizeOf(type), 'another size');
  return factOf(type.dtype, bits ? elementsOf(type, of.map(String)) : of.map((value) => encode(element, value)));
}

/** Elements from hexadecimal digits. */
function elementsOf(type: TensorType, digits: readonly string[]): (number | bigint)[] {
  const shape = [digits.length];
  const read = reader(generate({ bits: { dtype: type.dtype, shape, of: [...digits] } }));
  return digits.map((_, i) => read(i));
}
