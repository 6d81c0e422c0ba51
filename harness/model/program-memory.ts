import type { Count, NonEmpty } from './values.ts';

/** What a plugin says of the memory of a compiled program: PJRT_Executable_GetCompiledMemoryStats. */
export interface ProgramMemory {
  /** Its name, as in `dot/matmul_128x128x128_f32`. */
  program: NonEmpty;
  /** By the names of the C API (`temp_size_in_bytes`); those that are no count of bytes are left out. */
  bytes: Record<string, Count>;
}
