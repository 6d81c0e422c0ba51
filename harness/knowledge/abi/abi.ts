import { suggestion } from '../../base/did-you-mean.ts';
import { AbiError, NotInVersionError } from './abi-error.ts';
import { ABI_TABLE } from './abi-table.ts';
import { builtinSize, integerSize, type TypeSize } from './c-type.ts';
import { inRange, rangeStart } from './minor-range.ts';
import { layOut, type StructLayout } from './struct-layout.ts';
import type { AbiTable, EnumRow, StructRow } from './table-format.ts';

/** First and last minor the tables know. */
export const OLDEST_MINOR = ABI_TABLE.minors[0]!.minor;
export const NEWEST_MINOR = ABI_TABLE.minors.at(-1)!.minor;

const API = 'PJRT_Api';
const cache = new Map<number, Abi>();

/** The C API as its header defined it at one minor version. */
export class Abi {
  readonly minor: number;
  /** Functions in slot order, e.g. `PJRT_Error_Destroy`. */
  readonly functions: readonly string[];
  /** Bytes of the API table up to its last slot. */
  readonly tableBytes: number;
  /** Day of the first commit with this minor. */
  readonly date: string;
  /** Day of the last commit with this minor; layouts are those of that commit. */
  readonly lastDate: string;
  readonly sourceCommit: string;
  readonly #table: AbiTable;
  readonly #structs = new Map<string, StructLayout>();
  readonly #enums = new Map<string, ReadonlyMap<string, number>>();
  #enumTypes: readonly string[] | undefined;

  /** The version `minor`, or the newest known one before it; a minor before all tables throws. */
  static at(minor: number): Abi {
    if (!Number.isInteger(minor) || minor < OLDEST_MINOR) {
      throw new AbiError(`no table for PJRT C API 0.${minor}: the oldest known version is 0.${OLDEST_MINOR}`);
    }
    const known = ABI_TABLE.minors.findLast((m) => m.minor <= minor)!.minor;
    let abi = cache.get(known);
    if (!abi) {
      abi = new Abi(known);
      cache.set(known, abi);
    }
    return abi;
  }

  /** Use `Abi.at`; a table of one's own is for the tools that build it. */
  constructor(minor: number, table: AbiTable = ABI_TABLE) {
    const row = table.minors.find((m) => m.minor === minor);
    if (!row) throw new AbiError(`the table has no minor ${minor}`);
    this.#table = table;
    this.minor = minor;
    this.date = row.first;
    this.lastDate = row.last;
    this.sourceCommit = `${table.repository} ${row.commit}`;
    const api = this.struct(API);
    this.tableBytes = api.structSize;
    this.functions = api.fields.filter((f) => f.type === 'fn').map((f) => f.name);
  }

  /** Byte offset of a function's slot; undefined when this version does not have the function. */
  slotOffset(fn: string): number | undefined {
    const api = this.struct(API);
    return api.has(fn) && api.field(fn).type === 'fn' ? api.field(fn).offset : undefined;
  }

  hasStruct(name: string): boolean {
    const row = Object.hasOwn(this.#table.structs, name) ? this.#table.structs[name] : undefined;
    return row !== undefined && inRange(row.in, this.minor);
  }

  get structNames(): readonly string[] {
    return Object.keys(this.#table.structs).filter((name) => this.hasStruct(name));
  }

  get enumTypes(): readonly string[] {
    this.#enumTypes ??= Object.keys(this.#table.enums).filter((name) =>
      inRange(this.#table.enums[name]!.in, this.minor),
    );
    return this.#enumTypes;
  }

  /** Layout of a struct; throws an AbiError for one that this version lacks. */
  struct(name: string): StructLayout {
    let layout = this.#structs.get(name);
    if (!layout) {
      if (!this.hasStruct(name)) throw this.#unknown('struct', name, this.#table.structs, this.structNames);
      const row = this.#table.structs[name]!;
      const rows = row.fields
        .filter((f) => inRange(f.in, this.minor))
        .map((f) => ({ ...f, inOut: this.#table.inOut.includes(`${name}.${f.name}`) }));
      const declared = row.declared?.find((d) => inRange(d.in, this.minor));
      layout = layOut(
        name,
        rows,
        (type) => this.sizeOf(type),
        declared?.size,
        (field) => this.#elsewhere(row, field),
      );
      this.#structs.set(name, layout);
    }
    return layout;
  }

  /** Layout of a function's argument struct. */
  argsOf(fn: string): StructLayout {
    if (this.slotOffset(fn) === undefined) {
      const since = firstMinor(fn, this.#table);
      const missing = `PJRT C API 0.${this.minor} has no function ${fn}`;
      if (since !== undefined) throw new NotInVersionError(`${missing}; it came with 0.${since}`);
      throw new AbiError(`${missing}${suggestion(fn, this.functions)}`);
    }
    return this.struct(`${fn}_Args`);
  }

  /** Whether a slot may be NULL: frameworks test it before they call the function. */
  isNullable(fn: string): boolean {
    const api = this.struct(API);
    return api.has(fn) && api.field(fn).nullable === true;
  }

  /** Whether a function starts work, and what it returns becomes ready without another call. */
  startsWork(fn: string): boolean {
    const api = this.struct(API);
    return api.has(fn) && api.field(fn).starts === true;
  }

  /** The bytes of an integer or enum type; undefined for any other type. */
  integerBytes(type: string): number | undefined {
    return Object.hasOwn(this.#table.enums, type) ? 4 : integerSize(type);
  }

  /** What a function gives back. */
  returnType(fn: string): 'PJRT_Error*' | 'void' {
    return this.#table.returnsVoid.includes(fn) ? 'void' : 'PJRT_Error*';
  }

  /** Named function pointer types of any version: their C declarators. */
  get callbacks(): ReadonlyMap<string, string> {
    return new Map(Object.entries(this.#table.callbacks));
  }

  /** Values of an enum by name, in header order. */
  enumValues(name: string): ReadonlyMap<string, number> {
    let values = this.#enums.get(name);
    if (!values) {
      const row: EnumRow | undefined = Object.hasOwn(this.#table.enums, name) ? this.#table.enums[name] : undefined;
      if (!row || !inRange(row.in, this.minor)) throw this.#unknown('enum', name, this.#table.enums, this.enumTypes);
      values = new Map(row.values.filter((v) => inRange(v.in, this.minor)).map((v) => [v.name, v.value]));
      this.#enums.set(name, values);
    }
    return values;
  }

  /**
   * One value of an enum, also by the name that it has in another version.
   * @throws NotInVersionError for one that only other versions have
   */
  enumValue(name: string, value: string): number {
    const values = this.enumValues(name);
    const found = values.get(value);
    if (found !== undefined) return found;
    const elsewhere = this.#table.enums[name]!.values.find((v) => v.name === value);
    if (elsewhere && [...values.values()].includes(elsewhere.value)) return elsewhere.value;
    const missing = `PJRT C API 0.${this.minor} has no value ${value} of ${name}`;
    if (elsewhere) throw new NotInVersionError(`${missing}; it exists in 0.${elsewhere.in}`);
    throw new AbiError(`${missing}${suggestion(value, values.keys())}`);
  }

  /** What the names of an enum's values begin with: nearly always the name of the enum. */
  enumPrefix(name: string): string {
    const [first = ''] = this.enumValues(name).keys();
    return first.startsWith(`${name}_`) ? `${name}_` : first.slice(0, first.lastIndexOf('_') + 1);
  }

  /** Names of an enum's values, by number. */
  enumNames(name: string): ReadonlyMap<number, string> {
    return new Map([...this.enumValues(name)].map(([key, value]) => [value, key]));
  }

  /** Size and alignment of any C type that this version uses by value. */
  sizeOf(type: string): TypeSize {
    const builtin = builtinSize(type);
    if (builtin) return builtin;
    if (Object.hasOwn(this.#table.callbacks, type)) return { size: 8, align: 8 };
    if (Object.hasOwn(this.#table.enums, type)) return { size: 4, align: 4 };
    return this.struct(type);
  }

  /** The versions that have a field which this one lacks, in words. */
  #elsewhere(row: StructRow, field: string): string | undefined {
    const ranges = row.fields.filter((f) => f.name === field).map((f) => f.in ?? row.in);
    if (ranges.length === 0) return undefined;
    return `has no field ${field} in PJRT C API 0.${this.minor}; it exists in 0.${ranges.join(', ')}`;
  }

  #unknown(kind: string, name: string, all: Record<string, { in?: string }>, known: readonly string[]): AbiError {
    const missing = `PJRT C API 0.${this.minor} has no ${kind} ${name}`;
    if (Object.hasOwn(all, name)) return new NotInVersionError(`${missing}; it exists in 0.${all[name]!.in}`);
    return new AbiError(`${missing}${suggestion(name, known)}`);
  }
}

/** Minor that brought a function; functions of the oldest table give the oldest minor. Throws for an unknown name. */
export function introducedIn(fn: string): number {
  const since = firstMinor(fn, ABI_TABLE);
  if (since === undefined) {
    throw new AbiError(`PJRT C API has no function ${fn}${suggestion(fn, Abi.at(NEWEST_MINOR).functions)}`);
  }
  return since;
}

/**
 * The structs of a minor, as text to compare: two minors with the same text send the same to functions that `oldest` has
 * already.
 */
export function structsOf(minor: number, oldest: number): string {
  const [abi, first] = [Abi.at(minor), Abi.at(oldest)];
  const known = (name: string): boolean => name !== API && (!name.endsWith('_Args') || first.hasStruct(name));
  return abi.structNames
    .filter(known)
    .map((name) => abi.struct(name))
    .map(({ name, size, structSize, declaredSize }) => [name, size, structSize, declaredSize].join(' '))
    .join('\n');
}

function firstMinor(fn: string, table: AbiTable): number | undefined {
  const rows = table.structs[API]!.fields.filter((f) => f.name === fn && f.type === 'fn');
  if (rows.length === 0) return undefined;
  return Math.min(...rows.map((f) => (f.in === undefined ? table.minors[0]!.minor : rangeStart(f.in))));
}
