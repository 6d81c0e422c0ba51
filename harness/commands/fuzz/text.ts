/** Pieces of StableHLO text. */
import { arrayText, typeText } from '../../knowledge/ops/text.ts';
import type { Attributes, List, Node, TensorType } from './ir.ts';
import type { NodeOf, Printing } from './rule.ts';

/** `(tensor<f32>, tensor<f32>) -> tensor<f32>`. */
export const signature = (types: readonly TensorType[], result: TensorType): string =>
  `(${types.map(typeText).join(', ')}) -> ${typeText(result)}`;

/** An operation in the generic form. */
export function generic(
  op: string,
  { name, operands, types, result }: Printing,
  attributes: readonly string[] = [],
  regions = '',
): string {
  const properties = attributes.length > 0 ? ` <{${attributes.join(', ')}}>` : '';
  return `${name} = "stablehlo.${op}"(${operands.join(', ')})${properties}${regions} : ${signature(types, result)}`;
}

/** Lists of numbers as properties: their names in MLIR, and here. */
export const arrays =
  <K extends string>(names: Readonly<Record<string, K>>) =>
  ({ attributes }: NodeOf<Readonly<Record<K, List>>>): string[] =>
    Object.entries(names).map(([name, own]) => `${name} = ${arrayText(attributes[own])}`);

/** Attributes with one of these lists full of a number. */
export const filled =
  (values: Readonly<Record<string, number>>) =>
  ({ attributes }: Node): Attributes[] =>
    Object.entries(values).map(([name, value]) => ({
      ...attributes,
      [name]: (attributes[name] as List).map(() => value),
    }));
