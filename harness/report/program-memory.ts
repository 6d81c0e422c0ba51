import type { Run } from '../model/run.ts';

/** A number of bytes that a plugin says of a compiled program: of `temp_size_in_bytes`, say. */
export interface ProgramBytes {
  program: string;
  field: string;
  bytes: number;
}

/** What the plugin says of the memory of programs in a run; of several cases that ask for the same, the last one. */
export function programBytes(run: Run): ProgramBytes[] {
  const found = new Map<string, ProgramBytes>();
  for (const { result } of run.cases.values())
    for (const { program, bytes: all } of result?.programMemory ?? [])
      for (const [field, bytes] of Object.entries(all)) found.set(`${program}\0${field}`, { program, field, bytes });
  return [...found.values()];
}

/** `640 B`, `4.00 KiB`, `1.25 MiB`: exact enough to see what changed. */
export function binaryBytes(bytes: number): string {
  const power = Math.min(3, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  if (power === 0) return `${bytes} B`;
  const scaled = bytes / 1024 ** power;
  const digits = scaled < 10 ? 2 : scaled < 100 ? 1 : 0;
  return `${scaled.toFixed(digits)} ${['KiB', 'MiB', 'GiB'][power - 1]}`;
}
