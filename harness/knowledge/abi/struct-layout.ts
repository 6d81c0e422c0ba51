import { suggestion } from '../../base/did-you-mean.ts';
import { AbiError, NotInVersionError } from './abi-error.ts';
import { type CType, parseType, type TypeSize } from './c-type.ts';
import type { FieldAnnotations, FieldRow } from './table-format.ts';

/** A field with its place in the struct, its type taken apart, and what the type does not say. */
export interface Field extends Readonly<FieldAnnotations>, CType {
  readonly name: string;
  readonly type: string;
  readonly offset: number;
  readonly size: number;
  /** Written by the callee, or through a pointer that the caller gives (then `inOut` too). */
  readonly out: boolean;
  /** An output that the caller fills in as well: never to be poisoned before a call. */
  readonly inOut: boolean;
  /** Shares its storage with its union neighbours. */
  readonly union: boolean;
}

/** Says of a field that only other versions have that it is not in this one: `has no field x in …`. */
type FieldsElsewhere = (field: string) => string | undefined;

/** Layout of a struct in one version of the C API. */
export class StructLayout {
  readonly name: string;
  readonly fields: readonly Field[];
  /** sizeof: what to allocate. */
  readonly size: number;
  readonly align: number;
  /** End of the last field: what to send as `struct_size`. */
  readonly structSize: number;
  /** What this version's header declares as the size: wrong in a few old headers, null where it declares none. */
  readonly declaredSize: number | null;
  /** The struct begins with its own size, as nearly all of the C API do. */
  readonly sized: boolean;
  readonly #byName: ReadonlyMap<string, Field>;
  readonly #elsewhere: FieldsElsewhere;

  constructor(
    name: string,
    fields: readonly Field[],
    align: number,
    declaredSize?: number | null,
    elsewhere: FieldsElsewhere = () => undefined,
  ) {
    const last = fields.at(-1);
    const end = Math.max(0, ...fields.map((f) => f.offset + f.size));
    this.name = name;
    this.fields = fields;
    this.align = align;
    this.size = roundUp(end, align);
    this.structSize = last ? last.offset + last.size : 0;
    this.declaredSize = declaredSize === undefined ? this.structSize : declaredSize;
    this.sized = fields[0]?.name === 'struct_size';
    this.#byName = new Map(fields.map((f) => [f.name, f]));
    this.#elsewhere = elsewhere;
  }

  /** The field of this name; throws an AbiError that names the nearest field, or a NotInVersionError. */
  field(name: string): Field {
    const field = this.#byName.get(name);
    if (field) return field;
    const elsewhere = this.#elsewhere(name);
    if (elsewhere !== undefined) throw new NotInVersionError(`${this.name} ${elsewhere}`);
    throw new AbiError(`${this.name} has no field ${name}${suggestion(name, this.#byName.keys())}`);
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** What a call writes on its own account: not into memory or values that the caller gives. */
  get outputs(): Field[] {
    return this.fields.filter((f) => f.out && !f.inOut && !f.given);
  }

  /** What a call only reads. */
  get inputs(): Field[] {
    return this.fields.filter((f) => !f.out && !f.unmarked);
  }

  /** The first field behind the head of an argument struct: what the function is about. */
  get subject(): Field | undefined {
    return this.fields.find((f) => !HEAD.has(f.name));
  }
}

/** Fields with which the structs of the C API begin; `priv` is the old name of the extension chain. */
const HEAD: ReadonlySet<string> = new Set(['struct_size', 'extension_start', 'priv']);

/** Lays out fields as a C compiler does; a run of union members shares one offset. */
export function layOut(
  name: string,
  rows: ReadonlyArray<Omit<FieldRow, 'inOut'> & { inOut?: boolean }>,
  sizeOf: (type: string) => TypeSize,
  declaredSize?: number | null,
  elsewhere?: FieldsElsewhere,
): StructLayout {
  const fields: Field[] = [];
  let end = 0;
  let align = 1;
  for (let i = 0; i < rows.length; ) {
    let next = i + 1;
    if (rows[i]!.union) while (rows[next]?.union) next += 1;
    const group = rows.slice(i, next).map((row) => ({ row, ...memberSize(row.type, sizeOf) }));
    const groupAlign = Math.max(...group.map((m) => m.align));
    const offset = roundUp(end, groupAlign);
    for (const { row, size } of group) {
      const { in: _, out = false, inOut = false, union = false, ...rest } = row;
      fields.push({ ...rest, ...parseType(row.type), offset, size, out, inOut, union });
    }
    end = offset + roundUp(Math.max(...group.map((m) => m.size)), groupAlign);
    if (group.length === 1) end = offset + group[0]!.size;
    align = Math.max(align, groupAlign);
    i = next;
  }
  return new StructLayout(name, fields, align, declaredSize, elsewhere);
}

function memberSize(type: string, sizeOf: (type: string) => TypeSize): TypeSize {
  const [, element, count] = /^(.*)\[(\d+)\]$/.exec(type) ?? [];
  if (element === undefined) return sizeOf(type);
  const { size, align } = sizeOf(element);
  return { size: size * Number(count), align };
}

function roundUp(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}
