import { elementType } from '../element-type.ts';
import { DYNAMIC, type ValueType } from '../signature-types.ts';

/** A type as far as signatures need it. */
export type MlirType =
  | { kind: 'plain'; name: string }
  | { kind: 'complex'; element: MlirType }
  | { kind: 'tensor'; shape: number[]; element: MlirType; encoding?: string }
  | { kind: 'unranked'; element: MlirType }
  | { kind: 'token' }
  | { kind: 'tuple'; types: MlirType[] }
  | { kind: 'quantized' | 'memref' | 'other'; text: string }
  | FunctionType;

/** The type of a function. */
export interface FunctionType {
  kind: 'function';
  inputs: MlirType[];
  outputs: MlirType[];
}

/** MLIR's spelling. */
export function spelled(type: MlirType): string {
  switch (type.kind) {
    case 'plain':
      return type.name;
    case 'complex':
      return `complex<${spelled(type.element)}>`;
    case 'tensor': {
      const sizes = type.shape.map((size) => `${size === DYNAMIC ? '?' : size}x`).join('');
      return `tensor<${sizes}${spelled(type.element)}${type.encoding === undefined ? '' : `, ${type.encoding}`}>`;
    }
    case 'unranked':
      return `tensor<*x${spelled(type.element)}>`;
    case 'token':
      return '!stablehlo.token';
    case 'tuple':
      return `tuple<${type.types.map(spelled).join(', ')}>`;
    case 'function':
      return `(${type.inputs.map(spelled).join(', ')}) -> (${type.outputs.map(spelled).join(', ')})`;
    default:
      return type.text;
  }
}

/** A parameter or a result of this type. */
export function valueType(type: MlirType): ValueType {
  const mlir = spelled(type);
  if (type.kind === 'unranked') return { dtype: dtypeOf(type.element), shape: [], mlir, special: 'unranked' };
  if (type.kind === 'tensor') {
    const { shape, element } = type;
    const value = { dtype: dtypeOf(element), shape, mlir };
    if (element.kind === 'quantized') return { ...value, special: 'quantized' };
    if (element.kind !== 'plain' && element.kind !== 'complex') return { ...value, special: 'other' };
    return shape.includes(DYNAMIC) ? { ...value, special: 'dynamic' } : value;
  }
  const special = type.kind === 'token' || type.kind === 'tuple' || type.kind === 'memref' ? type.kind : 'other';
  return { dtype: special === 'other' ? mlir : special, shape: [], mlir, special };
}

/** The element types of the arrays among these types, also those in tuples, sorted. */
export function elementTypes(types: Iterable<MlirType>): string[] {
  const seen = new Set<MlirType>();
  const found = new Set<string>();
  const visit = (type: MlirType): void => {
    if (seen.has(type)) return;
    seen.add(type);
    if (type.kind === 'tensor' || type.kind === 'unranked') found.add(dtypeOf(type.element));
    for (const part of partsOf(type)) if (type.kind === 'tuple') visit(part);
  };
  for (const type of types) visit(type);
  return [...found].sort();
}

/** The harness's spelling of an element type; that of MLIR if no array has it. */
const dtypeOf = (type: MlirType): string => (type.kind === 'quantized' ? 'quantized' : elementType(spelled(type)));

/** Readers refuse heavier types: parts are shared, so that a short file can have a type of any length. */
export const HEAVIEST = 2 ** 24;

const weights = new WeakMap<MlirType, number>();

/** About how long the spelling of a type is. */
export function weightOf(type: MlirType): number {
  let weight = weights.get(type);
  if (weight === undefined) {
    const own = 'shape' in type ? type.shape.length : 'text' in type ? type.text.length : 0;
    weight = partsOf(type).reduce((sum, part) => sum + weightOf(part), 1 + own);
    weights.set(type, weight);
  }
  return weight;
}

function partsOf(type: MlirType): readonly MlirType[] {
  if (type.kind === 'tuple') return type.types;
  if (type.kind === 'function') return [...type.inputs, ...type.outputs];
  return 'element' in type ? [type.element] : [];
}
