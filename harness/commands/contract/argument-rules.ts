/** What of the arguments of a call is wrong whatever its objects are. */
import {
  Abi,
  type Field,
  headerSizes,
  holdsObjects,
  isExtensionFunction,
  NEWEST_MINOR,
} from '../../knowledge/abi/index.ts';
import { type GivenStruct, givenStructs, wordAt } from '../../knowledge/trace/given-structs.ts';
import { pointersOf } from '../../knowledge/trace/objects-of.ts';
import type { ObservedCall, ReturnedCall } from '../../knowledge/trace/observed-call.ts';
import type { Mistakes } from './mistake.ts';
import { DEMANDED, type Rule } from './rules.ts';

/** Judges the arguments with which a call begins. */
export function judgeArguments(call: ObservedCall, mistakes: Mistakes<Rule>): void {
  for (const given of givenStructs(call)) {
    if (!isExtensionFunction(call.function)) judgeSize(given, call, mistakes);
    for (const name of nullsOf(given, call))
      mistakes.add('null-argument', call, `${call.function} is called with a null in ${name}`);
  }
}

/** The plugin has refused a call: a mistake if a named value is none of any header. */
export function judgeValues(call: ReturnedCall, mistakes: Mistakes<Rule>): void {
  const newest = Abi.at(NEWEST_MINOR);
  for (const { name, base, depth, out, offset } of call.layout.fields) {
    if (depth > 0 || out || offset + 4 > call.before.length || !newest.enumTypes.includes(base)) continue;
    const value = new DataView(call.before.buffer, call.before.byteOffset).getInt32(offset, true);
    if (newest.enumNames(base).has(value)) continue;
    const message = `${call.function} is called with ${value} in ${name}, which is no ${base}, and refused`;
    mistakes.add('unknown-value', call, message);
  }
}

/** Fields that are null although the call needs what they lead to. */
function nullsOf({ name: of, layout, bytes, memory }: GivenStruct, call: ObservedCall): string[] {
  const word = (name: string | undefined): bigint =>
    name === undefined || !layout.has(name) ? 0n : wordAt(bytes, layout.field(name).offset);
  const isMissing = (field: Field): boolean => {
    if (field.depth === 0 && !CALLBACKS.has(field.base)) return false;
    if (field.out || field.union || field.offset + 8 > bytes.length) return false;
    const isNull = wordAt(bytes, field.offset) === 0n;
    if (of === call.function && DEMANDED[of]?.includes(field.name)) return isNull;
    if (field.count === undefined || layout.field(field.count).depth > 0) return false;
    const isUsed = word(field.count) > 0n && (field.inner === undefined || word(field.inner) > 0n);
    if (!isUsed) return false;
    return (
      isNull || (field.depth > 1 && holdsObjects(field) && pointersOf({ layout, memory }, field, bytes).includes(0n))
    );
  };
  return layout.fields.filter(isMissing).map(({ name }) => (of === call.function ? name : `${name} of ${of}`));
}

const CALLBACKS: ReadonlySet<string> = new Set(Abi.at(NEWEST_MINOR).callbacks.keys());

/** Structs whose size XLA's client has left unset, so that no plugin may look at it (ABI-ARGS-011 and 012). */
const UNSET: ReadonlySet<string> = new Set([
  ...['', '_Tiled', '_Strides'].map((form) => `PJRT_Buffer_MemoryLayout${form}`),
  ...['PJRT_NamedValue', 'PJRT_ShapeSpec'],
]);

function judgeSize({ name, layout, bytes }: GivenStruct, call: ObservedCall, mistakes: Mistakes<Rule>): void {
  if (!layout.sized || UNSET.has(layout.name)) return;
  const size = Number(wordAt(bytes, 0));
  const known = headerSizes(layout.name);
  if (known.has(size) || size > Math.max(...known)) return;
  const listed = [...known].join(', ');
  mistakes.add('struct-size', call, `struct_size of ${name} is ${size}; headers have ${listed}`);
}
