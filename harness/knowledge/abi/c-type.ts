/** Size and alignment of a type on an LP64 machine. */
export interface TypeSize {
  readonly size: number;
  readonly align: number;
}

const SCALARS: Readonly<Record<string, number>> = {
  bool: 1,
  char: 1,
  int8_t: 1,
  uint8_t: 1,
  int16_t: 2,
  uint16_t: 2,
  int: 4,
  int32_t: 4,
  uint32_t: 4,
  float: 4,
  int64_t: 8,
  uint64_t: 8,
  double: 8,
  size_t: 8,
  intptr_t: 8,
  uintptr_t: 8,
};

/** Size of a scalar or pointer type on LP64; undefined for a name that only a table knows (enum, struct, callback). */
export function builtinSize(type: string): TypeSize | undefined {
  const size = isPointer(type) ? 8 : SCALARS[type];
  return size === undefined ? undefined : { size, align: size };
}

/** Bytes of an integer type; undefined for any other type. */
export function integerSize(type: string): number | undefined {
  return NO_INTEGERS.has(type) ? undefined : SCALARS[type];
}

const NO_INTEGERS: ReadonlySet<string> = new Set(['bool', 'char', 'float', 'double']);

/** Pointers, function pointers and slots of the API table. */
export function isPointer(type: string): boolean {
  return type.endsWith('*') || type === 'fn' || type.startsWith('fnptr:');
}

/** A C type taken apart: `PJRT_Device* const*` is PJRT_Device behind two pointers. */
export interface CType {
  /** What is at the end of the pointers; `fn` for a function. */
  readonly base: string;
  /** How many pointers lead there; 0 for a value, and for a function. */
  readonly depth: number;
}

export function parseType(type: string): CType {
  if (type === 'fn' || type.startsWith('fnptr:')) return { base: 'fn', depth: 0 };
  const base = type.replace(/\b(?:const|struct)\b|\*|\[\d+\]/g, ' ').trim();
  return { base, depth: type.split('*').length - 1 };
}
