/** Structs of a recording as statements, member by member. */
import { type Field, memberInUse, type StructLayout } from '../../knowledge/abi/index.ts';
import { cArray, signed } from './c-literals.ts';
import type { Draft } from './draft.ts';
import { viewOf } from './recorded-bytes.ts';

/** Types whose values are numbers, whatever they look like. */
const NUMBERS: ReadonlySet<string> = new Set(['int64_t', 'uint64_t', 'size_t', 'double', 'char', 'int', 'int32_t']);

/** Whether values of a type are numbers, and no addresses. */
export const isNumber = (type: string): boolean => NUMBERS.has(type);

/** A struct whose members have a place each. */
export function structOf({ abi }: Draft, type: string): StructLayout | undefined {
  if (!abi.hasStruct(type)) return undefined;
  const layout = abi.struct(type);
  return layout.fields.length > 0 && layout.fields.every((f) => !f.type.includes('[')) ? layout : undefined;
}

/**
 * Assigns the members of a struct that are not zero.
 * @param prefix what stands before their names
 * @param where what they are members of, for the reason why an address that nothing has given is beyond the program
 */
export function setMembers(draft: Draft, layout: StructLayout, bytes: Buffer, prefix: string, where: string): void {
  for (const field of layout.fields) {
    if (field.offset + field.size > bytes.length || field.size === 0) continue;
    if (field.union && field !== unionMember(layout, bytes)) continue;
    const own = bytes.subarray(field.offset, field.offset + field.size);
    if (own.every((byte) => byte === 0)) continue;
    const target = `${prefix}${field.name}`;
    const nested = field.depth === 0 ? structOf(draft, field.type) : undefined;
    if (nested) setMembers(draft, nested, own, `${target}.`, where);
    else draft.say(assignment(draft, layout, field, own, target, where));
  }
}

/**
 * The member of the union that is in use; the largest, if none is, or bytes outside of that member are in use too.
 */
export function unionMember(layout: StructLayout, bytes: Buffer): Field | undefined {
  const [largest] = layout.fields.filter(({ union }) => union).toSorted((a, b) => b.size - a.size);
  const member = memberInUse(layout, bytes);
  if (!member || !largest) return largest;
  const rest = bytes.subarray(member.offset + member.size, largest.offset + largest.size);
  return rest.every((byte) => byte === 0) ? member : largest;
}

function assignment(
  draft: Draft,
  layout: StructLayout,
  field: Field,
  own: Buffer,
  target: string,
  where: string,
): string {
  const view = viewOf(own);
  if (field.size === 8 && !isNumber(field.type)) {
    const word = view.getBigUint64(0, true);
    const origin = draft.origins.of(word);
    if (!origin && !field.out && !isMadeUp(word))
      draft.goesBeyond(`${where}.${field.name} has an address that no recorded call has given`);
    const isPlain = origin && field.depth > 0 && !origin.text.startsWith('(uintptr_t)');
    const address = draft.address(word);
    return isPlain ? `${target} = ${assignable(address)};` : `PUT(${target}, ${address});`;
  }
  const isDeclaredSize = field.name === 'struct_size' && layout.declaredSize !== null;
  if (isDeclaredSize && view.getBigUint64(0, true) === BigInt(layout.declaredSize!))
    return `${target} = ${layout.name}_STRUCT_SIZE;`;
  if (field.type === 'size_t') return `${target} = ${view.getBigUint64(0, true)}u;`;
  if (field.size === 8) return `${target} = ${signed(view.getBigInt64(0, true))};`;
  if (field.size === 1) return `${target} = ${own[0]};`;
  if (field.size === 4 && field.type !== 'float')
    return `${target} = ${enumValue(draft, field.type, view.getInt32(0, true))};`;
  return `memcpy(&${target}, ${cArray(own, 'uint8_t')}, ${own.length});`;
}

function enumValue({ abi }: Draft, type: string, value: number): string {
  if (!abi.enumTypes.includes(type)) return String(value);
  return abi.enumNames(type).get(value) ?? `(${type})${value}`;
}

/** Arguments that are wrong on purpose: no address of a process looks like them. */
function isMadeUp(word: bigint): boolean {
  const text = word.toString(16).padStart(16, '0');
  return word < 65536n || word >= 1n << 47n || /^(..)\1{3,}/.test(text) || /(..)\1{3}$/.test(text);
}

/** A pointer that C takes for any other. */
const assignable = (text: string): string =>
  text.includes('->') && !text.startsWith('(void *)') ? `(void *)${text}` : text;
