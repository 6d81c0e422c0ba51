/** Pieces of StableHLO text. */
import type { Attributes, List, Node, TensorType } from './ir.ts';
import type { NodeOf, Printing } from './rule.ts';

const ELEMENTS: Readonly<Record<string, string>> = { pred: 'i1', c64: 'complex<f32>', c128: 'complex<f64>' };

/** `tensor<2x3xui8>`. */
export function typeText({ dtype, shape }: TensorType): string {
  const element = ELEMENTS[dtype] ?? dtype.replace(/^s(?=\d)/, 'i').replace(/^u(?=\d)/, 'ui');
  return `tensor<${[...shape, element].join('x')}>`;
}

/** `array<i64: 1, 2>`. */
export const arrayText = (list: List): string => `array<i64${list.length > 0 ? `: ${list.join(', ')}` : ''}>`;

export const listText = (list: List): string => `[${list.join(', ')}]`;

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

export const scalar = (dtype: string): TensorType => ({ dtype, shape: [] });
