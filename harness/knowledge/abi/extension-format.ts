import type { StructRow } from './table-format.ts';

/**
 * How far a probe may go: A has no side effects and needs only objects of one's own; B is callable but leaves work to
 * undo or needs a kind of device; R is only reported, never called.
 */
export type ProbeClass = 'A' | 'B' | 'R';

/** An extension type. `reserved` and `removed` ones have a number and no layout that could be trusted. */
export interface ExtensionRow {
  type: number;
  name: string;
  status?: 'reserved' | 'removed';
  probe: ProbeClass;
  header?: string;
  version?: number;
  /** The struct whose first member is the base. */
  struct?: string;
  /** Sizes that published headers gave the struct, oldest first, each with the day it began. */
  sizes: Array<{ size: number; since: string }>;
  /** Slots that a plugin may leave null. */
  nullable?: string[];
  /** Slots whose probe class is not the extension's. */
  slotProbe?: Record<string, ProbeClass>;
}

/** `extensions.json`: the extensions as of one day. */
export interface ExtensionTable {
  date: string;
  commit: string;
  /** Minor of the C API header beside them. */
  minor: number;
  extensions: ExtensionRow[];
  /** Function types and function pointer types: their C declarators. */
  functions: Record<string, string>;
  enums: Record<string, Record<string, number>>;
  /** Structs that had another layout before, and the day since which they begin as here. */
  layoutSince: Record<string, string>;
  /** By header, then by name. */
  headers: Record<string, Record<string, StructRow>>;
}
