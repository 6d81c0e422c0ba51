import { createHash } from 'node:crypto';
import type { Abi } from './abi.ts';
import type { StructLayout } from './struct-layout.ts';

/** A struct as the expanded per-version tables write it. */
export interface StructSnapshot {
  size: number;
  align: number;
  struct_size: number | null;
  fields: Array<{ name: string; type: string; offset: number; size: number; out: boolean }>;
}

/** One version of the C API, fully expanded. */
export interface AbiSnapshot {
  major: number;
  minor: number;
  enums: Record<string, Record<string, number>>;
  structs: Record<string, StructSnapshot>;
  first_commit_date: string;
  last_commit_date: string;
  source_commit: string;
}

/** Expands one version of the table. */
export function snapshot(abi: Abi): AbiSnapshot {
  return {
    major: 0,
    minor: abi.minor,
    enums: Object.fromEntries(abi.enumTypes.map((name) => [name, Object.fromEntries(abi.enumValues(name))])),
    structs: Object.fromEntries(abi.structNames.map((name) => [name, structSnapshot(abi.struct(name))])),
    first_commit_date: abi.date,
    last_commit_date: abi.lastDate,
    source_commit: abi.sourceCommit,
  };
}

export function structSnapshot(layout: StructLayout): StructSnapshot {
  return {
    size: layout.size,
    align: layout.align,
    struct_size: layout.declaredSize,
    fields: layout.fields.map(({ name, type, offset, size, out }) => ({ name, type, offset, size, out })),
  };
}

/** JSON with sorted keys and no white space: equal values give equal text. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, v]) => `${JSON.stringify(key)}:${canonicalJson(v)}`).join(',')}}`;
}

/** sha256 of the canonical JSON. */
export function digest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
