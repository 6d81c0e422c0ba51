import { EXTENSION_TABLE, extensionStruct } from '../../harness/knowledge/abi/extensions.ts';
import { type AbiSnapshot, type StructSnapshot, structSnapshot } from '../../harness/knowledge/abi/snapshot.ts';
import type { ExtensionHeaders } from './extension-table.ts';

/** What `to` has that differs from `from`, one line each; empty when the layouts are the same. */
export function compareSnapshots(
  from: Pick<AbiSnapshot, 'enums' | 'structs'>,
  to: Pick<AbiSnapshot, 'enums' | 'structs'>,
): string[] {
  const lines: string[] = [];
  for (const name of union(from.enums, to.enums)) {
    const a = from.enums[name];
    const b = to.enums[name];
    if (!a || !b) lines.push(`${b ? 'added' : 'removed'} enum ${name}`);
    for (const key of a && b ? union(a, b) : []) {
      if (a?.[key] !== b?.[key]) lines.push(`enum ${name}: ${key} ${show(a?.[key])} -> ${show(b?.[key])}`);
    }
  }
  for (const name of union(from.structs, to.structs)) {
    const a = from.structs[name];
    const b = to.structs[name];
    if (a && b) lines.push(...compareStructs(name, a, b));
    else lines.push(`${b ? 'added' : 'removed'} struct ${name} (${(a ?? b)?.struct_size ?? 'no'} bytes)`);
  }
  return lines;
}

function compareStructs(name: string, a: StructSnapshot, b: StructSnapshot): string[] {
  const fields = (s: StructSnapshot) =>
    Object.fromEntries(
      s.fields.map((f) => [f.name, `${f.type} at ${f.offset}, ${f.size} bytes${f.out ? ', out' : ''}`]),
    );
  const before = fields(a);
  const after = fields(b);
  const lines = union(before, after)
    .filter((key) => before[key] !== after[key])
    .map((key) => `${name}.${key}: ${show(before[key])} -> ${show(after[key])}`);
  if (a.struct_size !== b.struct_size)
    lines.push(`${name} declares ${show(a.struct_size)} -> ${show(b.struct_size)} bytes`);
  if (a.size !== b.size) lines.push(`sizeof ${name}: ${a.size} -> ${b.size}`);
  return lines;
}

const show = (value: unknown): string => (value === undefined ? '(absent)' : value === null ? 'no' : String(value));

function union(a: object, b: object): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

/** For every extension header that was found: how it differs from the table. */
export function compareExtensions(headers: ExtensionHeaders): Map<string, string[]> {
  const result = new Map<string, string[]>();
  for (const [path, layouts] of headers.layouts) {
    const known = Object.keys(EXTENSION_TABLE.headers[path] ?? {});
    const from = Object.fromEntries(known.map((name) => [name, structSnapshot(extensionStruct(name))]));
    const to = Object.fromEntries([...layouts].map(([name, layout]) => [name, structSnapshot(layout)]));
    const enums = [...headers.declared.get(path)!.enums];
    result.set(
      path,
      compareSnapshots(
        {
          structs: from,
          enums: Object.fromEntries(
            enums.flatMap(([n]) => (EXTENSION_TABLE.enums[n] ? [[n, EXTENSION_TABLE.enums[n]]] : [])),
          ),
        },
        { structs: to, enums: Object.fromEntries(enums.map(([n, values]) => [n, Object.fromEntries(values)])) },
      ),
    );
  }
  return result;
}
