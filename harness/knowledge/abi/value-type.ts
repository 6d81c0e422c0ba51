import type { Abi } from './abi.ts';
import { integerSize, parseType } from './c-type.ts';
import type { Field, StructLayout } from './struct-layout.ts';

/** What a field of the C API holds, as far as its C type says. */
export type ValueType =
  | { readonly kind: 'bool' | 'float' | 'text' | 'memory' | 'function' | 'other' }
  /** `name` is the C type. */
  | { readonly kind: 'integer'; readonly name: string; readonly least: bigint; readonly most: bigint }
  /** The names without their prefix, by number. */
  | { readonly kind: 'enum'; readonly name: string; readonly names: ReadonlyMap<number, string> }
  /** A pointer to one object, or to several in a row; `fields`: to a struct whose fields are known. */
  | { readonly kind: 'object'; readonly of: string; readonly fields: boolean; readonly counted: boolean }
  /** A struct in place. */
  | { readonly kind: 'struct'; readonly of: string }
  /** A pointer to values of a type. */
  | { readonly kind: 'list'; readonly of: ValueType };

/** What the fields of a struct hold in one version of the C API, by name. */
export function valueTypesOf(abi: Abi, { fields }: StructLayout): Map<string, ValueType> {
  const lists = new Set(fields.filter(({ depth }) => depth > 0).map(({ name }) => name));
  return new Map(
    fields.map((field): [string, ValueType] => {
      const type = valueTypeOf(abi, field);
      // Counted by a list of lengths: several lists, one after the other.
      return [field.name, lists.has(field.count ?? '') ? { kind: 'list', of: type } : type];
    }),
  );
}

/** What a field holds in one version of the C API. */
export function valueTypeOf(abi: Abi, { type, holds = type, count }: Field): ValueType {
  if (abi.enumTypes.includes(holds)) return enumType(abi, holds);
  const { base, depth } = parseType(type);
  return base === 'fn' ? { kind: 'function' } : behindPointers(abi, base, depth, count !== undefined);
}

function behindPointers(abi: Abi, base: string, depth: number, counted: boolean): ValueType {
  if (depth > 1) return { kind: 'list', of: behindPointers(abi, base, depth - 1, false) };
  if (depth === 0) return inPlace(abi, base);
  if (base === 'char') return { kind: 'text' };
  if (base.startsWith('PJRT_') && !abi.enumTypes.includes(base))
    return { kind: 'object', of: base, fields: abi.hasStruct(base), counted };
  const element = inPlace(abi, base);
  return element.kind === 'other' ? { kind: 'memory' } : { kind: 'list', of: element };
}

function inPlace(abi: Abi, base: string): ValueType {
  if (base === 'bool') return { kind: 'bool' };
  if (base === 'float' || base === 'double') return { kind: 'float' };
  if (abi.enumTypes.includes(base)) return enumType(abi, base);
  if (abi.hasStruct(base)) return { kind: 'struct', of: base };
  const bytes = integerSize(base);
  if (bytes !== undefined) return integerType(base, BigInt(8 * bytes));
  return { kind: base.startsWith('PJRT_') ? 'function' : 'other' };
}

const UNSIGNED = /^(u|size_t)/;

const integerType = (name: string, bits: bigint): ValueType =>
  UNSIGNED.test(name)
    ? { kind: 'integer', name, least: 0n, most: 2n ** bits - 1n }
    : { kind: 'integer', name, least: -(2n ** (bits - 1n)), most: 2n ** (bits - 1n) - 1n };

function enumType(abi: Abi, name: string): ValueType {
  const { length } = abi.enumPrefix(name);
  return {
    kind: 'enum',
    name,
    names: new Map([...abi.enumValues(name)].map(([word, value]) => [value, word.slice(length)])),
  };
}
