import type { TypeSize } from './struct-layout.ts';

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

/** Pointers, function pointers and slots of the API table. */
export function isPointer(type: string): boolean {
  return type.endsWith('*') || type === 'fn' || type.startsWith('fnptr:');
}
