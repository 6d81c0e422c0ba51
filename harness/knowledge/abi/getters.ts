import { Abi, NEWEST_MINOR } from './abi.ts';
import { kindsOf } from './kinds.ts';
import type { Field } from './struct-layout.ts';

/** Queries whose answers may change from one call to the next, and why. */
export const CHANGING: Readonly<Record<string, string>> = {
  PJRT_Device_MemoryStats: 'memory is used meanwhile',
  PJRT_Device_PoisonExecution: 'an execution is poisoned once',
  PJRT_Buffer_UnsafePointer: 'a plugin may move a buffer that nobody refers to by its address',
  PJRT_Buffer_OpaqueDeviceMemoryDataPointer: 'a plugin may move a buffer that nobody refers to by its address',
  'RawBuffer.PJRT_RawBuffer_GetHostPointer': 'a plugin may move a buffer that nobody refers to by its address',
};

/** A function of the API table that asks one object, and says the same as long as nothing happens to it. */
export interface Getter {
  function: string;
  /** The argument that is the object. */
  subject: string;
  /** Outputs that can be compared with earlier answers by what they hold; others are structs, or new objects. */
  fields: readonly string[];
}

const known = new Map<string, readonly Getter[]>();

/** The getters of a type of object, e.g. `PJRT_Buffer`. */
export function gettersOf(type: string): readonly Getter[] {
  const getters = known.get(type) ?? listed(type);
  known.set(type, getters);
  return getters;
}

function listed(type: string): Getter[] {
  const abi = Abi.at(NEWEST_MINOR);
  return abi.functions.flatMap((name): Getter[] => {
    if (CHANGING[name] !== undefined || !abi.hasStruct(`${name}_Args`)) return [];
    const args = abi.argsOf(name);
    const asked = args.subject;
    const others = args.inputs.filter((field) => field !== asked && !HEAD.has(field.name));
    if (asked?.base !== type || !kindsOf(args).has('query') || others.length > 0) return [];
    return [
      { function: name, subject: asked.name, fields: args.outputs.filter(isComparable).map((field) => field.name) },
    ];
  });
}

const HEAD: ReadonlySet<string> = new Set(['struct_size', 'extension_start', 'priv']);

/** Numbers, texts, named values, lists of them, devices and memories. */
const isComparable = ({ base, depth, size }: Field): boolean =>
  (depth > 0 || size <= 8) && !/Layout|Topology/.test(base);
