import { toRange } from '../../harness/knowledge/abi/minor-range.ts';
import type { AbiSnapshot, StructSnapshot } from '../../harness/knowledge/abi/snapshot.ts';
import type { AbiTable, EnumRow, FieldRow, StructRow } from '../../harness/knowledge/abi/table-format.ts';

type Facts = Pick<AbiTable, 'repository' | 'reused' | 'returnsVoid' | 'inOut' | 'callbacks'>;

/** Folds expanded versions, one per minor, into one table. */
export function compactTable(snapshots: readonly AbiSnapshot[], facts: Facts): AbiTable {
  const sorted = [...snapshots].sort((a, b) => a.minor - b.minor);
  const newest = sorted.at(-1)!.minor;
  const all = sorted.map((s) => s.minor);
  const { repository, reused, returnsVoid, inOut, callbacks } = facts;
  return {
    repository,
    minors: sorted.map((s) => ({
      minor: s.minor,
      first: s.first_commit_date,
      last: s.last_commit_date,
      commit: s.source_commit.replace(`${repository} `, ''),
    })),
    reused,
    returnsVoid,
    inOut,
    callbacks,
    enums: Object.fromEntries(
      orderedKeys(sorted.map((s) => s.enums)).map((name) => [name, compactEnum(name, sorted, all, newest)]),
    ),
    structs: Object.fromEntries(
      orderedKeys(sorted.map((s) => s.structs)).map((name) => {
        const versions = sorted.filter((s) => s.structs[name]);
        return [
          name,
          compactStruct(
            versions.map((s) => [s.minor, s.structs[name]!]),
            all,
            newest,
          ),
        ];
      }),
    ),
  };
}

/** A struct without versions, as the extensions' tables hold it. */
export function rowOf(layout: StructSnapshot): StructRow {
  const row: StructRow = { fields: rowsOf(layout) };
  const last = layout.fields.at(-1);
  const end = last ? last.offset + last.size : 0;
  if (layout.struct_size !== end) row.declared = [{ size: layout.struct_size }];
  return row;
}

function compactStruct(versions: Array<[number, StructSnapshot]>, all: number[], newest: number): StructRow {
  const minors = versions.map(([minor]) => minor);
  const own = toRange(minors, newest);
  const merged = merge(
    versions.map(([minor, layout]) => [minor, rowsOf(layout)]),
    (f) => `${f.name} ${f.type} ${f.out} ${f.union}`,
  );
  const row: StructRow = {
    ...(minors.length === all.length ? {} : { in: own }),
    fields: merged.map(({ item, minors: m }) => withRange(item, toRange(m, newest), own)),
  };
  const declared = new Map<number | null, number[]>();
  for (const [minor, layout] of versions) {
    const size = rowOf(layout).declared?.[0]?.size;
    if (size !== undefined) declared.set(size, [...(declared.get(size) ?? []), minor]);
  }
  if (declared.size > 0) {
    row.declared = [...declared].map(([size, m]) =>
      withRange<{ size: number | null; in?: string }>({ size }, toRange(m, newest), own),
    );
  }
  return row;
}

function compactEnum(name: string, sorted: readonly AbiSnapshot[], all: number[], newest: number): EnumRow {
  const versions = sorted.filter((s) => s.enums[name]);
  const minors = versions.map((s) => s.minor);
  const own = toRange(minors, newest);
  const merged = merge(
    versions.map((s) => [s.minor, Object.entries(s.enums[name]!).map(([key, value]) => ({ name: key, value }))]),
    (v) => `${v.name} ${v.value}`,
  );
  return {
    ...(minors.length === all.length ? {} : { in: own }),
    values: merged.map(({ item, minors: m }) =>
      withRange<{ name: string; value: number; in?: string }>(item, toRange(m, newest), own),
    ),
  };
}

function withRange<T extends { in?: string }>(item: T, range: string, parent: string): T {
  return range === parent ? item : { ...item, in: range };
}

function rowsOf(layout: StructSnapshot): FieldRow[] {
  const starts = layout.fields.map((f) => f.offset);
  return layout.fields.map((f) => ({
    name: f.name,
    type: f.type,
    ...(f.out ? { out: true as const } : {}),
    ...(starts.filter((s) => s === f.offset).length > 1 ? { union: true as const } : {}),
  }));
}

/** Merges the sequences of all minors so that each minor's items, read in order, are its sequence. */
function merge<T>(versions: Array<[number, T[]]>, keyOf: (item: T) => string) {
  const merged: Array<{ key: string; item: T; minors: number[] }> = [];
  for (const [minor, items] of versions) {
    const keys = items.map(keyOf);
    let at = 0;
    items.forEach((item, i) => {
      const known = merged.findIndex((m, index) => index >= at && m.key === keys[i]);
      if (known >= 0) {
        merged[known]!.minors.push(minor);
        at = known + 1;
        return;
      }
      // What this minor no longer has comes first, so that the list reads in the order of time.
      const rest = new Set(keys.slice(i));
      while (at < merged.length && !rest.has(merged[at]!.key)) at += 1;
      merged.splice(at, 0, { key: keys[i]!, item, minors: [minor] });
      at += 1;
    });
  }
  return merged;
}

/** Keys of all objects: the newest one's order, then what only older ones have. */
function orderedKeys(objects: Array<Record<string, unknown>>): string[] {
  return [...new Set([...objects].reverse().flatMap((o) => Object.keys(o)))];
}
