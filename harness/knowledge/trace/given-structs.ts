import { Abi, holdsObjects, type StructLayout } from '../abi/index.ts';
import { type ObjectAt, objectsOf } from './objects-of.ts';
import type { ObservedCall } from './observed-call.ts';

/** A struct that a call was given: its arguments, or one to which they lead. */
export interface GivenStruct {
  /** `PJRT_Client_Compile`, or of a struct behind the field `program` `PJRT_Client_Compile.program`. */
  name: string;
  layout: StructLayout;
  bytes: Uint8Array;
  memory: ObservedCall['memory'];
}

/** The arguments of a call, and the structs to which they lead, as they were when it began. */
export function givenStructs(call: ObservedCall): GivenStruct[] {
  const own = { name: call.function, layout: call.layout, bytes: call.before, memory: call.memory };
  const abi = Abi.at(call.minor);
  const inner = call.layout.fields
    .filter(({ out, depth, base }) => !out && depth === 1 && base !== EXTENSION && abi.hasStruct(base))
    .filter(({ base }) => abi.struct(base).sized)
    .flatMap(({ name, base, offset, count }): GivenStruct[] => {
      const bytes = call.memory(wordAt(own.bytes, offset));
      if (!bytes) return [];
      const number = count === undefined ? 1 : Number(wordAt(own.bytes, call.layout.field(count).offset));
      // Of a list each has the same size, in the version of the caller.
      const size = number > 0 ? Math.floor(bytes.length / number) : 0;
      const found = Array.from({ length: size > 0 ? number : 0 }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
      return found.map((one) => ({ ...own, name: `${call.function}.${name}`, layout: abi.struct(base), bytes: one }));
    });
  return [own, ...inner];
}

/** The objects that a call was given, also in the structs to which its arguments lead. */
export const givenObjects = (call: ObservedCall): ObjectAt[] =>
  givenStructs(call).flatMap((given) =>
    given.layout.fields
      .filter((field) => holdsObjects(field) && !field.out)
      .flatMap((field) => objectsOf(given, field, given.bytes)),
  );

const EXTENSION = 'PJRT_Extension_Base';

/** The word at a place of a struct; 0 beyond what its caller has. */
export const wordAt = (bytes: Uint8Array, offset: number): bigint =>
  offset + 8 <= bytes.length
    ? new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getBigUint64(offset, true)
    : 0n;
