import { Abi, NEWEST_MINOR, OLDEST_MINOR } from '../../harness/knowledge/abi/abi.ts';
import { ABI_TABLE } from '../../harness/knowledge/abi/abi-table.ts';
import { builtinSize } from '../../harness/knowledge/abi/c-type.ts';
import { EXTENSIONS, extensionStruct, isLayoutKnown } from '../../harness/knowledge/abi/extensions.ts';
import { headerSizes } from '../../harness/knowledge/abi/header-sizes.ts';
import type { Field, StructLayout } from '../../harness/knowledge/abi/struct-layout.ts';
import { DTYPES } from '../../harness/knowledge/numerics/dtypes.ts';

/** Structs whose fields moved between versions: what they lead to is not copied. */
const MOVED: ReadonlySet<string> = new Set(['PJRT_ProcessInfo', 'PJRT_Extension_Base']);
/** Structs with a union, which plugins/recorder/copies.cc knows. */
const UNIONS: ReadonlySet<string> = new Set(['PJRT_NamedValue', 'PJRT_Buffer_MemoryLayout']);

/** A function that the recorder wraps. */
export interface WrappedFunction {
  /** `PJRT_Client_Create`, or of an extension `Layouts.PJRT_Layouts_MemoryLayout_Destroy`. */
  name: string;
  args: StructLayout;
  /** Byte offset in the API table, or in the extension's struct. */
  slot: number;
  /** Type of the extension. */
  extension?: number;
  /** Whether it returns an error; otherwise it returns nothing. */
  answers: boolean;
  /** The lowest minor whose plugins have this layout. */
  since: number;
}

/** All functions that take one args struct: those of the API table, in its order, then those of the extensions. */
export function wrappedFunctions(): WrappedFunction[] {
  const abi = Abi.at(NEWEST_MINOR);
  const core = abi.functions.map((name) => ({
    name,
    args: abi.argsOf(name),
    slot: abi.slotOffset(name)!,
    since: OLDEST_MINOR,
    answers: abi.returnType(name) !== 'void',
  }));
  const extensions = [...EXTENSIONS.values()].flatMap(({ name, type, struct, slots, status }) =>
    status !== 'current' || struct === undefined
      ? []
      : slots.flatMap((slot): WrappedFunction[] => {
          if (slot.kind !== 'function' || slot.args === undefined || !ANSWERS.has(slot.returns ?? '')) return [];
          const args = layoutOf(slot.args);
          if (args === undefined) return [];
          const since = knownSince(struct, slot.args);
          const answers = slot.returns !== 'void';
          return [{ name: `${name}.${slot.name}`, args, slot: slot.offset, extension: type, since, answers }];
        }),
  );
  return [...core, ...extensions];
}

const ANSWERS: ReadonlySet<string> = new Set(['PJRT_Error*', 'void']);

function layoutOf(name: string): StructLayout | undefined {
  const abi = Abi.at(NEWEST_MINOR);
  if (abi.hasStruct(name)) return abi.struct(name);
  try {
    return extensionStruct(name);
  } catch {
    return undefined;
  }
}

/** Nodes have a struct_size since 0.45. */
const FIRST_NODES = 45;

function knownSince(...structs: string[]): number {
  for (let minor = FIRST_NODES; ; minor++) {
    if (minor >= NEWEST_MINOR || structs.every((struct) => isLayoutKnown(struct, minor))) return minor;
  }
}

/** How memory behind a field is found; the numbers are those of plugins/recorder/layouts.h. */
type Kind = 'Array' | 'Terminated' | 'Struct' | 'Structs' | 'StructPointers' | 'Inline' | 'Lists' | 'Texts';

interface Copied {
  kind: Kind;
  field: Field;
  /** Bytes of an element. */
  element: number;
  struct?: string;
}

/** The fields of a struct that lead to memory that belongs to the call. */
export function copiedFields(layout: StructLayout): Copied[] {
  if (MOVED.has(layout.name)) return [];
  return layout.fields.flatMap((field): Copied[] => {
    if (field.union || field.name === 'extension_start' || field.name === 'priv') return [];
    const found = kindOf(field);
    return found ? [{ field, ...found }] : [];
  });
}

function kindOf(field: Field): Omit<Copied, 'field'> | undefined {
  const { base, depth, count, inner, content } = field;
  if (depth === 0) {
    const own = layoutOf(base);
    return own && base !== 'PJRT_Extension_Base' ? { kind: 'Inline', element: own.size, struct: base } : undefined;
  }
  if (content === 'terminated') return { kind: 'Terminated', element: 1 };
  const own = hasContents(base) ? layoutOf(base) : undefined;
  const element = builtinSize(base)?.size ?? enumSize(base);
  if (depth === 1 && own && count === undefined) return { kind: 'Struct', element: own.size, struct: base };
  if (count === undefined) return undefined;
  if (depth === 1 && own) return { kind: 'Structs', element: own.size, struct: base };
  if (depth === 1) {
    // Memory that a call writes to, now or later, is no part of its arguments.
    const bytes = element ?? (field.type === 'const void*' ? 1 : undefined);
    return bytes === undefined ? undefined : { kind: 'Array', element: bytes };
  }
  if (inner !== undefined && content !== undefined) return { kind: 'Texts', element: 1 };
  if (inner !== undefined && depth === 3) return { kind: 'Lists', element: 8 };
  if (depth === 2 && own) return { kind: 'StructPointers', element: own.size, struct: base };
  return { kind: 'Array', element: 8 };
}

/** Structs that are more than a handle: those with fields of which one is no function. */
function hasContents(name: string): boolean {
  return !HANDLES.has(name) && !name.endsWith('FunctionTable') && layoutOf(name) !== undefined;
}

/** Objects of the plugin whose structs begin with a table of functions since 0.105. */
const HANDLES: ReadonlySet<string> = new Set(['PJRT_Error', 'PJRT_Memory']);

const enumSize = (base: string): number | undefined => Abi.at(NEWEST_MINOR).integerBytes(base);

/** The text of layouts.inc. */
export function recorderLayouts(): string {
  const functions = wrappedFunctions();
  const structs: StructLayout[] = [];
  const indexes = new Map<string, number>();
  const add = (layout: StructLayout): void => {
    if (indexes.has(layout.name)) return;
    indexes.set(layout.name, structs.length);
    structs.push(layout);
    for (const { struct } of copiedFields(layout)) if (struct !== undefined) add(layoutOf(struct)!);
  };
  for (const { args } of functions) add(args);
  for (const name of UNIONS) add(layoutOf(name)!);
  for (const name of ['PJRT_Buffer_MemoryLayout_Tiled', 'PJRT_Buffer_MemoryLayout_Strides']) add(layoutOf(name)!);
  const fields: string[] = [];
  const sizes: number[] = [];
  const rows = structs.map((layout) => {
    const [first, firstSize] = [fields.length, sizes.length];
    for (const copied of copiedFields(layout)) fields.push(fieldRow(copied, layout, indexes));
    // Of an extension's structs only the newest sizes are known.
    if (layout.sized) sizes.push(...headerSizes(layout.name));
    const numbers = [first, fields.length - first, layout.size, layout.structSize, Number(layout.sized)];
    const at = [...numbers, firstSize, sizes.length - firstSize];
    return `{"${layout.name}", ${at.join(', ')}},`;
  });
  const plain = functions.map(
    ({ name, args, slot, extension = -1, since, answers }) =>
      `{"${name}", ${indexes.get(args.name)}, ${slot}, ${extension}, ${since}, ${answers}},`,
  );
  const core = functions.filter(({ extension }) => extension === undefined);
  const inserted = insertedSlots(core.map(({ name }) => name));
  const elements: number[] = [];
  for (const { enumValue, hostBytes } of DTYPES) elements[enumValue] = hostBytes;
  return `// Functions, layouts and element types of the PJRT C API, written by tools/recorder/generate.ts from the layout table. Do not edit.
// clang-format off
constexpr int kNewestMinor = ${NEWEST_MINOR};
constexpr int kOldestMinor = ${OLDEST_MINOR};
constexpr int kCoreFunctions = ${core.length};
constexpr int kFunctions = ${functions.length};
enum FunctionId {
${core.map(({ name }, i) => `  k${name} = ${i},`).join('\n')}
};
const Function kFunctionTable[] = {
${plain.join('\n')}
};
const Field kFieldTable[] = {
${fields.join('\n')}
};
const unsigned short kSizeTable[] = {${sizes.join(', ')}};
const Struct kStructTable[] = {
${rows.join('\n')}
};
constexpr int kNamedValue = ${indexes.get('PJRT_NamedValue')};
constexpr int kMemoryLayout = ${indexes.get('PJRT_Buffer_MemoryLayout')};
constexpr int kTiledLayout = ${indexes.get('PJRT_Buffer_MemoryLayout_Tiled')};
constexpr int kStridedLayout = ${indexes.get('PJRT_Buffer_MemoryLayout_Strides')};
// Slots of a version whose table is no beginning of the newest one.
constexpr int kMovedMinor = ${inserted.minor};
const unsigned short kMovedSlots[] = {${inserted.slots.join(', ')}};
// Tables that were published under a number that another table has now.
const ReusedTable kReusedTables[] = {${ABI_TABLE.reused.flatMap(({ minor, tableBytes }) => tableBytes.map((bytes) => `{${minor}, ${bytes}}`)).join(', ')}};
// Bytes of an element in host memory, by PJRT_Buffer_Type.
const unsigned char kElementBytes[] = {${Array.from(elements, (size) => size ?? 0).join(', ')}};
// Names of extensions by type.
struct ExtensionName { int type; const char* name; };
const ExtensionName kExtensionNames[] = {${[...EXTENSIONS.values()].map(({ type, name }) => `{${type}, "${name}"}`).join(', ')}};
`;
}

function fieldRow(
  { kind, field, element, struct }: Copied,
  layout: StructLayout,
  indexes: Map<string, number>,
): string {
  const counter = (name: string | undefined): string => {
    if (name === undefined) return '-1, 0, 0';
    const of = layout.field(name);
    // A count that is a list itself: the number of its elements.
    const list = of.depth > 0 && of.count !== undefined ? layout.field(of.count).offset : -1;
    return `${of.offset}, ${of.depth > 0 ? 8 : of.size}, ${list < 0 ? 0 : list}`;
  };
  const flags =
    (field.out || field.unmarked ? 1 : 0) + (field.given || field.inOut ? 2 : 0) + (field.base === 'void' ? 4 : 0);
  return `{"${field.name}", k${kind}, ${flags}, ${field.offset}, ${element}, ${struct === undefined ? -1 : indexes.get(struct)}, ${counter(field.count)}, ${counter(field.inner)}},`;
}

/** The version whose functions are not the first of the newest table, with the slots of the newest order. */
function insertedSlots(names: readonly string[]): { minor: number; slots: number[] } {
  for (let minor = OLDEST_MINOR; minor <= NEWEST_MINOR; minor++) {
    const abi = Abi.at(minor);
    if (abi.functions.some((fn, i) => fn !== names[i]))
      return { minor, slots: names.map((name) => abi.slotOffset(name) ?? 0) };
  }
  throw new Error('every table is a beginning of the newest one: kMovedSlots can go');
}
