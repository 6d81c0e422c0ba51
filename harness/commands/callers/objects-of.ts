/** The objects of the C API in the arguments of a call. */
import { Abi, extensionFunction, extensionFunctions, type Field, NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import type { ObservedCall } from './observed-call.ts';

/** An object: its type, as two of different types may have one address, and where it is. */
export interface ObjectAt {
  type: string;
  at: bigint;
}

/** Longer lists are not looked through. */
const MOST = 1 << 16;

/** Derived once from the layouts of all functions. */
interface Facts {
  /** Types that functions are about, and whose contents callers don't see: `PJRT_Buffer` and so on. */
  types: ReadonlySet<string>;
  /** Functions that destroy what they are about. */
  destroyers: ReadonlySet<string>;
}

let known: Facts | undefined;

function facts(): Facts {
  if (known) return known;
  const abi = Abi.at(NEWEST_MINOR);
  const layouts = [
    ...abi.functions.filter((name) => abi.hasStruct(`${name}_Args`)).map((name) => abi.argsOf(name)),
    ...[...extensionFunctions().keys()].map((name) => extensionFunction(name).args()),
  ];
  const subjects = layouts.flatMap(({ subject }) => (subject?.depth === 1 ? [subject.base] : []));
  const owned = layouts.flatMap(({ fields }) => fields.filter(({ destroy }) => destroy !== undefined));
  const isArguments = (type: string): boolean => abi.hasStruct(type) && abi.struct(type).has('struct_size');
  const types = [...subjects, ...owned.map(({ base }) => base)];
  known = {
    types: new Set(types.filter((type) => /^PJRT_/.test(type) && !isArguments(type))),
    destroyers: new Set(['PJRT_Error_Destroy', ...owned.map(({ destroy }) => destroy!)]),
  };
  return known;
}

/** Whether a field leads to objects. */
export const holdsObjects = ({ base, depth }: Field): boolean => depth > 0 && facts().types.has(base);

/** Whether a function destroys the object that it is about. */
export const isDestroyer = (name: string): boolean => facts().destroyers.has(name);

/**
 * The objects that a field of a call leads to, in order, without nulls.
 * @param bytes of the arguments, before or after the call
 */
export function objectsOf(call: ObservedCall, field: Field, bytes: Uint8Array): ObjectAt[] {
  if (field.offset + 8 > bytes.length) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const address = view.getBigUint64(field.offset, true);
  const sizes = lengths(call, field, view);
  return addresses(call, address, field.depth - 1, sizes)
    .filter((at) => at !== 0n)
    .map((at) => ({ type: field.base, at }));
}

/** How long the lists of a field are, from the outermost. */
function lengths(call: ObservedCall, { count, inner }: Field, view: DataView): number[] {
  return [count, inner].flatMap((name) => {
    if (name === undefined || !call.layout.has(name)) return [];
    const { offset, size, depth } = call.layout.field(name);
    if (depth > 0 || size !== 8 || offset + 8 > view.byteLength) return [];
    return [Number(view.getBigUint64(offset, true))];
  });
}

/** Lists of which no field says how long they are, as those of results, are as long as what was recorded of them. */
function addresses(call: ObservedCall, address: bigint, depth: number, [length, ...rest]: readonly number[]): bigint[] {
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
