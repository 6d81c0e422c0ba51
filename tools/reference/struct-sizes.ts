import { Abi, NEWEST_MINOR } from '../../harness/knowledge/abi/abi.ts';
import { EXTENSION_TABLE } from '../../harness/knowledge/abi/extensions.ts';

/** The lowest minor that the reference plugin supports. */
const FIRST_MINOR = 31;

/** Structs whose fields moved; the plugin has each of their layouts in its sources, or no extensions before 0.45. */
const MOVED = ['PJRT_ProcessInfo', 'PJRT_Extension_Base'];

/** The only version that put a function between others; the plugin moves it there. */
const INSERTED = { minor: 56, name: 'PJRT_Buffer_CopyRawToHost' };

/** Extensions whose layout only grew at its end; of the others only the current layout is offered. */
const APPENDED = ['Layouts'];

const HEAD = `// What the versions 0.${FIRST_MINOR} to 0.${NEWEST_MINOR} of the PJRT C API have, written by tools/reference/generate.ts from the layout
// table. Do not edit. Each line holds from its minor on, until the next one for the same thing. Define what you need of
//   REFERENCE_FUNCTIONS(minor, count, bytes, declared)   functions of PJRT_Api, the end of the last one, and the struct_size
//                                                        that the header of this minor gives it
//   REFERENCE_STRUCT_SIZE(type, minor, size, declared)   end of the last field, and the size that the
//                                                        header of this minor gives it (0: none)
//   REFERENCE_ENUM_VALUE(type, value, minor)             when an enum's value came
//   REFERENCE_EXTENSION(suffix, minor, size)             struct_size of an extension in the layout of pjrt_c_extensions.h
// and include this file.
// clang-format off
#ifndef REFERENCE_FUNCTIONS
#define REFERENCE_FUNCTIONS(minor, count, bytes, declared)
#endif
#ifndef REFERENCE_STRUCT_SIZE
#define REFERENCE_STRUCT_SIZE(type, minor, size, declared)
#endif
#ifndef REFERENCE_ENUM_VALUE
#define REFERENCE_ENUM_VALUE(type, value, minor)
#endif
#ifndef REFERENCE_EXTENSION
#define REFERENCE_EXTENSION(suffix, minor, size)
#endif
`;

const TAIL = `
#undef REFERENCE_FUNCTIONS
#undef REFERENCE_STRUCT_SIZE
#undef REFERENCE_ENUM_VALUE
#undef REFERENCE_EXTENSION
`;

/** The text of struct_sizes.inc; throws if the plugin could not act as an older version correctly. */
export function structSizes(): string {
  const lines = [...functionLines(), ...structLines(), ...enumLines(), ...extensionLines()];
  return `${HEAD}\n${lines.join('\n')}\n${TAIL}`;
}

function functionLines(): string[] {
  const newest = Abi.at(NEWEST_MINOR).functions;
  return changes('', (abi) => {
    const functions = [...abi.functions];
    if (abi.minor === INSERTED.minor) functions.push(...functions.splice(functions.indexOf(INSERTED.name), 1));
    if (functions.some((fn, i) => fn !== newest[i])) {
      throw new Error(`the table of 0.${abi.minor} is no beginning of that of 0.${NEWEST_MINOR}`);
    }
    return `${abi.functions.length}, ${abi.tableBytes}, ${abi.struct('PJRT_Api').declaredSize}`;
  }).map(({ minor, value }) => `REFERENCE_FUNCTIONS(${minor}, ${value})`);
}

function structLines(): string[] {
  const newest = Abi.at(NEWEST_MINOR);
  const names = newest.structNames.filter((name) => name !== 'PJRT_Api');
  return names.flatMap((name) =>
    changes('', (abi) => {
      if (!abi.hasStruct(name)) return '';
      const layout = abi.struct(name);
      const now = newest.struct(name).fields;
      if (
        !MOVED.includes(name) &&
        layout.fields.some((f, i) => f.size !== now[i]?.size || f.offset !== now[i].offset)
      ) {
        throw new Error(`${name} of 0.${abi.minor} is no beginning of that of 0.${NEWEST_MINOR}`);
      }
      return `${layout.structSize}, ${layout.declaredSize ?? 0}`;
    }).map(({ minor, value }) => `REFERENCE_STRUCT_SIZE(${name}, ${minor}, ${value})`),
  );
}

function enumLines(): string[] {
  const newest = Abi.at(NEWEST_MINOR);
  return newest.enumTypes.flatMap((type) =>
    [...newest.enumValues(type).keys()].map((value) => {
      const since = versions().find((abi) => abi.enumTypes.includes(type) && abi.enumValues(type).has(value))!;
      return `REFERENCE_ENUM_VALUE(${type}, ${value}, ${since.minor})`;
    }),
  );
}

/** The extensions' table has dates instead of minors; its newest layouts count for the newest minor. */
function extensionLines(): string[] {
  return EXTENSION_TABLE.extensions.flatMap(({ name, status, sizes }) => {
    if (status !== undefined) return [];
    const usable = APPENDED.includes(name) ? sizes : sizes.slice(-1);
    return changes('', (abi) => {
      const types = abi.enumTypes.includes('PJRT_Extension_Type') ? abi.enumValues('PJRT_Extension_Type') : undefined;
      // A node without a struct_size, as before 0.45, is nothing that this plugin makes.
      const known = abi.minor >= 45 && types?.has(`PJRT_Extension_Type_${name}`);
      return known
        ? String(usable.findLast((s) => abi.minor === NEWEST_MINOR || s.since <= abi.lastDate)?.size ?? '')
        : '';
    }).map(({ minor, value }) => `REFERENCE_EXTENSION(${name}, ${minor}, ${value})`);
  });
}

function versions(): Abi[] {
  return Array.from({ length: NEWEST_MINOR - FIRST_MINOR + 1 }, (_, i) => Abi.at(FIRST_MINOR + i));
}

/** The minors at which a value changes, at first from `before`. */
function changes(before: string, of: (abi: Abi) => string): Array<{ minor: number; value: string }> {
  const found: Array<{ minor: number; value: string }> = [];
  for (const abi of versions()) {
    const value = of(abi);
    if (value !== (found.at(-1)?.value ?? before)) found.push({ minor: abi.minor, value });
  }
  return found;
}
