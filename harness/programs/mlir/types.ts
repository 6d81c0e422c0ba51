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

/** The harness's spelling of an element type; that of MLIR if no array has it. */
export const dtypeOf = (type: MlirType): string =>
  type.kind === 'quantized' ? 'quantized' : elementType(spelled(type));
