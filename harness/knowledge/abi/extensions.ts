import { suggestion } from '../../base/did-you-mean.ts';
import { dataIn } from '../../base/paths.ts';
import { Abi } from './abi.ts';
import { AbiError } from './abi-error.ts';
import { ABI_TABLE } from './abi-table.ts';
import { builtinSize, type TypeSize } from './c-type.ts';
import type { ExtensionRow, ExtensionTable, ProbeClass } from './extension-format.ts';
import type {} from './extensions.json'; // makes the compiler copy the file beside this module
import { type Field, layOut, type StructLayout } from './struct-layout.ts';
import type { StructRow } from './table-format.ts';

/** The committed table of extensions. */
export const EXTENSION_TABLE = dataIn<ExtensionTable>('knowledge/abi/extensions.json');

/** A field of an extension's struct after its base. */
export interface ExtensionSlot {
  readonly name: string;
  /** `dead`: a function that was removed; its place stays, as an untyped pointer that means nothing. */
  readonly kind: 'function' | 'pointer' | 'int64' | 'bool' | 'dead';
  readonly offset: number;
  readonly size: number;
  readonly nullable: boolean;
  readonly probe: ProbeClass;
  /** For functions: what they return, and their argument struct. */
  readonly returns?: string;
  readonly args?: string;
}

/** An extension type of the C API. */
export interface Extension {
  readonly type: number;
  /** Suffix of its `PJRT_Extension_Type_…` value. */
  readonly name: string;
  readonly status: 'current' | 'reserved' | 'removed';
  readonly probe: ProbeClass;
  readonly header: string | undefined;
  /** The header's version number; plugins do not report it. */
  readonly version: number | undefined;
  readonly struct: string | undefined;
  /** Size of the newest known layout; undefined when there is none. */
  readonly size: number | undefined;
  /** All sizes that published headers gave it. */
  readonly knownSizes: readonly number[];
  readonly slots: readonly ExtensionSlot[];
}

const structs = new Map<string, StructRow>(
  Object.values(EXTENSION_TABLE.headers).flatMap((header) => Object.entries(header)),
);
const layouts = new Map<string, StructLayout>();

/** Layout of an extension struct or of one of its argument structs, as of the newest known header. */
export function extensionStruct(name: string): StructLayout {
  let layout = layouts.get(name);
  if (!layout) {
    const row = structs.get(name);
    if (!row) throw new AbiError(`no extension has a struct ${name}${suggestion(name, structs.keys())}`);
    const declared = row.declared?.[0]?.size;
    layout = layOut(name, row.fields, sizeOf, declared);
    layouts.set(name, layout);
  }
  return layout;
}

/**
 * Whether a plugin of this minor was built with the layout of an extension's struct that is known here. Extensions have no versions
 * of their own: a plugin is as old as the version of the C API after its own. What may be either counts as known.
 */
export function isLayoutKnown(struct: string, minor: number): boolean {
  const since = Object.hasOwn(EXTENSION_TABLE.layoutSince, struct) ? EXTENSION_TABLE.layoutSince[struct]! : '';
  const next = ABI_TABLE.minors.find((m) => m.minor > minor);
  return next === undefined || next.first > since;
}

/** Values of an enum that an extension header declares. */
export function extensionEnum(name: string): ReadonlyMap<string, number> {
  const values = Object.hasOwn(EXTENSION_TABLE.enums, name) ? EXTENSION_TABLE.enums[name] : undefined;
  if (!values)
    throw new AbiError(`no extension has an enum ${name}${suggestion(name, Object.keys(EXTENSION_TABLE.enums))}`);
  return new Map(Object.entries(values));
}

/** Size of an extension's struct as of a day: what a header of that day says; undefined when it had none yet. */
export function extensionSizeOn(name: string, date: string): number | undefined {
  const row = EXTENSION_TABLE.extensions.find((e) => e.name === name);
  return row?.sizes.findLast((s) => s.since <= date)?.size;
}

function sizeOf(type: string): TypeSize {
  const builtin = builtinSize(type);
  if (builtin) return builtin;
  if (Object.hasOwn(EXTENSION_TABLE.enums, type)) return { size: 4, align: 4 };
  if (isFunctionPointer(type)) return { size: 8, align: 8 };
  return structs.has(type) ? extensionStruct(type) : Abi.at(EXTENSION_TABLE.minor).sizeOf(type);
}

function isFunctionPointer(type: string): boolean {
  return Object.hasOwn(EXTENSION_TABLE.functions, type) && /\(\s*\*/.test(EXTENSION_TABLE.functions[type]!);
}

function slotOf(row: ExtensionRow, field: Field): ExtensionSlot {
  const { name, type, offset, size } = field;
  const declarator = type.startsWith('fnptr:')
    ? type.slice('fnptr:'.length).trim()
    : EXTENSION_TABLE.functions[type === 'fn' ? name : type.replace(/\*$/, '')];
  const kind: ExtensionSlot['kind'] = declarator ? 'function' : scalarKind(type);
  const nullable = kind !== 'function' && kind !== 'pointer' ? true : (row.nullable?.includes(name) ?? false);
  const slot = { name, kind, offset, size, nullable, probe: row.slotProbe?.[name] ?? row.probe };
  if (declarator === undefined) return slot;
  const returns = /^([\w:\s*]+?)\s*(?:\(|\b\w+\s*\()/.exec(declarator)?.[1]?.replace(/\s+\*/g, '*');
  const args = /\b(\w+_Args)\b[^,()]*\)\s*$/.exec(declarator)?.[1];
  return { ...slot, ...(returns ? { returns } : {}), ...(args ? { args } : {}) };
}

function scalarKind(type: string): 'pointer' | 'int64' | 'bool' | 'dead' {
  if (type === 'void*') return 'dead';
  if (type === 'bool') return 'bool';
  return type === 'int64_t' ? 'int64' : 'pointer';
}

/** Layouts are computed where they are asked for: most processes ask for few of them. */
function extensionOf(row: ExtensionRow): Extension {
  const layout = (): StructLayout | undefined => (row.struct === undefined ? undefined : extensionStruct(row.struct));
  let slots: readonly ExtensionSlot[] | undefined;
  return {
    type: row.type,
    name: row.name,
    status: row.status ?? 'current',
    probe: row.probe,
    header: row.header,
    version: row.version,
    struct: row.struct,
    get size() {
      return layout()?.structSize;
    },
    knownSizes: [...new Set(row.sizes.map((s) => s.size))],
    get slots() {
      slots ??= (layout()?.fields ?? []).filter((f) => f.type !== 'PJRT_Extension_Base').map((f) => slotOf(row, f));
      return slots;
    },
  };
}

/** All extension types by number. */
export const EXTENSIONS: ReadonlyMap<number, Extension> = new Map(
  EXTENSION_TABLE.extensions.map((row) => [row.type, extensionOf(row)]),
);

/** A function of an extension, as findings and suites name it: `Layouts.PJRT_Layouts_MemoryLayout_Destroy`. */
interface ExtensionFunction {
  readonly extension: string;
  readonly slot: string;
  readonly args: () => StructLayout;
}

/** All functions of extensions that take an argument struct, by their names. */
export function extensionFunctions(): ReadonlyMap<string, ExtensionFunction> {
  functions ??= new Map(
    [...EXTENSIONS.values()].flatMap(({ name: extension, slots }) =>
      slots.flatMap(({ name: slot, args }): [string, ExtensionFunction][] =>
        args === undefined || !structs.has(args)
          ? []
          : [[`${extension}.${slot}`, { extension, slot, args: () => extensionStruct(args) }]],
      ),
    ),
  );
  return functions;
}

let functions: ReadonlyMap<string, ExtensionFunction> | undefined;

/** Whether a name is that of a function of an extension. */
export const isExtensionFunction = (name: string): boolean => name.includes('.');

/** The function of this name; throws an AbiError for an unknown one. */
export function extensionFunction(name: string): ExtensionFunction {
  const all = extensionFunctions();
  const found = all.get(name);
  if (!found) throw new AbiError(`no extension has a function ${name}${suggestion(name, all.keys())}`);
  return found;
}

/** The extension of this name (`Layouts`); throws an AbiError for an unknown one. */
export function extensionNamed(name: string): Extension {
  const names = [...EXTENSIONS.values()].map((e) => e.name);
  const found = [...EXTENSIONS.values()].find((e) => e.name === name);
  if (!found) throw new AbiError(`no extension ${name}${suggestion(name, names)}`);
  return found;
}
