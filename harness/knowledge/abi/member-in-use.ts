import type { Field, StructLayout } from './struct-layout.ts';

/**
 * The member of a struct's union that is in use: the enum beside it counts its members (PJRT_NamedValue, PJRT_Buffer_MemoryLayout).
 * Undefined if the enum has another value.
 */
export function memberInUse({ fields }: StructLayout, bytes: Uint8Array): Field | undefined {
  const type = fields.find(({ name }) => name === 'type');
  if (!type || type.offset + 4 > bytes.length) return undefined;
  const number = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getInt32(type.offset, true);
  return fields.filter(({ union }) => union)[number];
}
