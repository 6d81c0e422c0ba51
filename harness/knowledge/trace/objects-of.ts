/** The objects of the C API in the arguments of a call. */
import type { Field } from '../abi/index.ts';
import type { ObservedCall } from './observed-call.ts';

/** An object: its type, as two of different types may have one address, and where it is. */
export interface ObjectAt {
  type: string;
  at: bigint;
}

/** A struct of a call: its layout, and what memory there was. */
type Reading = Pick<ObservedCall, 'layout' | 'memory'>;

/** Longer lists are not looked through. */
const MOST = 1 << 16;

/**
 * The objects that a field of a call leads to, in order, without nulls.
 * @param bytes of the arguments, before or after the call
 */
export const objectsOf = (call: Reading, field: Field, bytes: Uint8Array): ObjectAt[] =>
  pointersOf(call, field, bytes)
    .filter((at) => at !== 0n)
    .map((at) => ({ type: field.base, at }));

/** The same with nulls. */
export function pointersOf(call: Reading, field: Field, bytes: Uint8Array): bigint[] {
  if (field.offset + 8 > bytes.length) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const address = view.getBigUint64(field.offset, true);
  return addresses(call, address, field.depth - 1, lengths(call, field, view));
}

/** How long the lists of a field are, from the outermost. */
function lengths(call: Reading, { count, inner }: Field, view: DataView): number[] {
  return [count, inner].flatMap((name) => {
    if (name === undefined || !call.layout.has(name)) return [];
    const { offset, size, depth } = call.layout.field(name);
    if (depth > 0 || size !== 8 || offset + 8 > view.byteLength) return [];
    return [Number(view.getBigUint64(offset, true))];
  });
}

/** Lists of which no field says how long they are, as those of results, are as long as what was recorded of them. */
function addresses(call: Reading, address: bigint, depth: number, [length, ...rest]: readonly number[]): bigint[] {
  if (depth === 0) return [address];
  const list = address === 0n ? undefined : call.memory(address);
  if (!list) return [];
  const view = new DataView(list.buffer, list.byteOffset, list.length);
  const recorded = Math.floor(list.length / 8);
  const each = Array.from({ length: Math.min(length ?? recorded, recorded, MOST) }, (_, i) =>
    view.getBigUint64(8 * i, true),
  );
  return each.flatMap((one) => addresses(call, one, depth - 1, rest));
}
