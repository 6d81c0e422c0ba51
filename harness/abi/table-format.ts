import type { MinorRange } from './minor-range.ts';

/** A field of a struct. Offset and size are not stored: they follow from the types. */
export interface FieldRow {
  name: string;
  /** C type; `fn` is a slot of the API table, `fnptr: …` a function pointer with its declarator. */
  type: string;
  /** Written by the callee. */
  out?: true;
  /** Given by the caller as well: its value, or the memory it points to, must be the caller's. */
  inOut?: true;
  /** Neighbouring union members share their storage. */
  union?: true;
  /** Minors that have the field; missing: all that have the struct. */
  in?: MinorRange;
}

/** A struct over all versions. Rows of one minor, in order, are that minor's fields. */
export interface StructRow {
  in?: MinorRange;
  fields: FieldRow[];
  /** What the header declares as the struct's size, where that is not the end of the last field; null: it declares none. */
  declared?: Array<{ size: number | null; in?: MinorRange }>;
}

/** An enum over all versions. */
export interface EnumRow {
  in?: MinorRange;
  values: Array<{ name: string; value: number; in?: MinorRange }>;
}

/** One minor: the dates of its first and last commit and the commit its layout was read from. */
export interface MinorRow {
  minor: number;
  first: string;
  last: string;
  commit: string;
}

/** `table.json`: the whole C API, all minors. */
export interface AbiTable {
  repository: string;
  minors: MinorRow[];
  /** Minors that were published with another layout before a roll-back; `tableBytes`: sizes those reported. */
  reused: Array<{ minor: number; tableBytes: number[]; why: string }>;
  /** Functions that return nothing; the others return `PJRT_Error*`. */
  returnsVoid: string[];
  /** `struct.field` of outputs that the caller fills in too. */
  inOut: string[];
  /** Named function pointer types: their C declarators. */
  callbacks: Record<string, string>;
  enums: Record<string, EnumRow>;
  structs: Record<string, StructRow>;
}
