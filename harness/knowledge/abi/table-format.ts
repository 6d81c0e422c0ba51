import type { MinorRange } from './minor-range.ts';

/**
 * What the C type of a field does not say: what counts its elements, what they are, who frees them. tools/abi/annotate.ts
 * derives it from names and the shape of the struct, and takes the rest from tools/abi/annotation-facts.ts. Names are those
 * of fields of the same struct, unless stated otherwise.
 */
export interface FieldAnnotations {
  /** The number of elements that the pointer leads to. If that field is an array itself: lists of these lengths, concatenated. */
  count?: string;
  /** Of a pointer to pointers: the length of each inner array. If that field is an array itself: one length for each. */
  inner?: string;
  /** Of an integer: the enum whose values it holds. */
  holds?: string;
  /** What characters are: text, bytes without a meaning as text, or text that ends in a NUL because nothing counts it. */
  content?: 'text' | 'bytes' | 'terminated';
  /** The caller owns what the output leads to, each object of it, and frees it with this function of the C API. */
  destroy?: string;
  /** The caller owns it and frees it with the function in this field, which takes the pointer. */
  deleter?: string;
  /** The plugin owns it, and it lives at least as long as the object in this field; `process`: for good. */
  keeper?: string;
  /** It stands for a promise, kept by passing it to this function: of the C API, or in this field. Nothing else frees it. */
  spentBy?: string;
  /** An output that the header does not mark as one. */
  unmarked?: true;
  /** What the output leads to is memory that the caller gives, which the header says elsewhere than in its marks. */
  given?: true;
  /** The value means something only if this field is true. */
  flag?: string;
  /** Of a slot of the API table: frameworks test it for NULL before they call it. */
  nullable?: true;
  /** Of a slot: the function starts work, and the events and buffers that it returns become ready without another call. */
  starts?: true;
}

/** A field of a struct. Offset and size are not stored: they follow from the types. */
export interface FieldRow extends FieldAnnotations {
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
interface MinorRow {
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
