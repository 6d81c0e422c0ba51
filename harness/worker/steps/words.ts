import type { Abi, Field } from '../../knowledge/abi/index.ts';
import type { NamedValue } from '../pjrt/named-values.ts';

/** Renders a value for a message. */
export type Show = (value: unknown) => string;

/** Renders a value, short, with handles by type only, because addresses change from run to run. */
export const show: Show = (value) => render(value, (integer) => (isAddress(integer) ? 'an address' : String(integer)));

/** How the values of a field are shown: those of an enum by name, 64-bit integers as such, and not as addresses. */
export function showOf(abi: Abi, { type, base, holds = base, depth }: Field): Show {
  if (abi.enumTypes.includes(holds)) return (value) => render(value, enumWord(abi, holds));
  const isNumber = depth === 0 && /^(?:u?int64_t|size_t)$/.test(type);
  return isNumber ? (value) => (value === 0n ? '0' : render(value, String)) : show;
}

function enumWord(abi: Abi, type: string): (value: number | bigint) => string {
  const [names, prefix] = [abi.enumNames(type), abi.enumPrefix(type)];
  return (value) => names.get(Number(value))?.slice(prefix.length) ?? `${value}, no ${type}`;
}

// Integers arrive as numbers as long as they fit, so a small bigint is an address.
const isAddress = (value: number | bigint): boolean =>
  typeof value === 'bigint' && value <= Number.MAX_SAFE_INTEGER && value > 0n;

/** @param integer how integers are shown, also in lists */
function render(value: unknown, integer: (value: number | bigint) => string): string {
  const again = (inner: unknown): string => render(inner, integer);
  if (value === null || value === undefined || value === 0n) return 'NULL';
  if (typeof value === 'bigint' || typeof value === 'number') return integer(value);
  if (typeof value === 'string') return JSON.stringify(value.length > 200 ? `${value.slice(0, 200)}…` : value);
  if (typeof value === 'boolean') return String(value);
  const named = namedValues(value);
  if (named && named.length > 0)
    return `{${named.map((one) => `${one.name}: ${typeName(one)} ${typeof one.value === 'bigint' ? one.value : again(one.value)}`).join(', ')}}`;
  if (Array.isArray(value))
    return `[${value.slice(0, 16).map(again).join(', ')}${value.length > 16 ? `, … ${value.length} in all` : ''}]`;
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (typeof value === 'object' && 'kind' in value && 'pointer' in value) return `a ${String(value.kind)}`;
  if (typeof value === 'object' && 'dtype' in value && 'shape' in value)
    return `${(value.dtype as { name: string }).name}[${(value.shape as number[]).join(',')}]`;
  return JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? v.toString() : v));
}

/** PJRT_NamedValue_Type in words, by its number. */
const NAMED_VALUE_TYPES = ['string', 'int64', 'int64_list', 'float', 'bool'];

/** What predicates know of a named value. */
export type Named = Pick<NamedValue, 'name' | 'type' | 'value' | 'valueSize' | 'structSize' | 'isNull'>;

/** A list of named values; undefined for any other value. */
export const namedValues = (value: unknown): Named[] | undefined =>
  Array.isArray(value) && value.every((v) => typeof v === 'object' && v !== null && 'name' in v && 'type' in v)
    ? (value as Named[])
    : undefined;

/** The type of a named value; its number where the C API has none. */
export const typeName = ({ type }: Named): string | number => NAMED_VALUE_TYPES[type] ?? type;
