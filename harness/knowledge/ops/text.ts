/** Pieces of StableHLO text. */
import type { TensorType } from './space.ts';

const ELEMENTS: Readonly<Record<string, string>> = { pred: 'i1', c64: 'complex<f32>', c128: 'complex<f64>' };

/** `tensor<2x3xui8>`. */
export function typeText({ dtype, shape }: TensorType): string {
  const element = ELEMENTS[dtype] ?? dtype.replace(/^s(?=\d)/, 'i').replace(/^u(?=\d)/, 'ui');
  return `tensor<${[...shape, element].join('x')}>`;
}

/** `array<i64: 1, 2>`. */
export const arrayText = (list: readonly number[]): string =>
  `array<i64${list.length > 0 ? `: ${list.join(', ')}` : ''}>`;

export const listText = (list: readonly number[]): string => `[${list.join(', ')}]`;

export const scalar = (dtype: string): TensorType => ({ dtype, shape: [] });

const listOf = (types: readonly TensorType[]): string => types.map(typeText).join(', ');

/** What an operation consists of, beside its name. */
interface Parts {
  types: readonly TensorType[];
  results: readonly TensorType[];
  properties?: readonly string[];
  regions?: readonly string[];
}

/** An operation in the generic form, which every version of the parsers reads. */
export function operation(op: string, names: readonly string[], result: string, parts: Parts): string {
  const { types, results, properties = [], regions = [] } = parts;
  const bound = results.length > 1 ? `${result}:${results.length}` : result;
  const attributes = properties.length > 0 ? ` <{${properties.join(', ')}}>` : '';
  const blocks = regions.length > 0 ? ` (${regions.join(', ')})` : '';
  const given = results.length === 1 ? listOf(results) : `(${listOf(results)})`;
  const head = op.includes('.') ? op : `stablehlo.${op}`;
  return `${bound} = "${head}"(${names.join(', ')})${attributes}${blocks} : (${listOf(types)}) -> ${given}`;
}

/** The names of the results of an operation. */
export const resultNames = (result: string, count: number): string[] =>
  count === 1 ? [result] : Array.from({ length: count }, (_, i) => `${result}#${i}`);

/** A region with these parameters: its operations, and what it returns. @param prefix of all names in it */
export function region(
  prefix: string,
  parameters: readonly TensorType[],
  body: (names: readonly string[]) => {
    lines?: readonly string[];
    returns: readonly string[];
    types: readonly TensorType[];
  },
): string {
  const names = parameters.map((_, i) => `${prefix}_p${i}`);
  const { lines = [], returns, types } = body(names);
  return [
    '{',
    ...(names.length > 0
      ? [`^bb0(${names.map((name, i) => `${name}: ${typeText(parameters[i]!)}`).join(', ')}):`]
      : []),
    ...lines.map((line) => `  ${line}`),
    `  "stablehlo.return"(${returns.join(', ')}) : (${listOf(types)}) -> ()`,
    '}',
  ].join('\n');
}
