import type { TypeSize } from '../../harness/knowledge/abi/c-type.ts';
import type { ExtensionTable } from '../../harness/knowledge/abi/extension-format.ts';
import { structSnapshot } from '../../harness/knowledge/abi/snapshot.ts';
import type { StructLayout } from '../../harness/knowledge/abi/struct-layout.ts';
import { type Declarations, readDeclarations } from './c-declarations.ts';
import { rowOf } from './compact-table.ts';
import { EXTENSION_FACTS, LAYOUT_SINCE, SUPPORT_HEADERS } from './extension-facts.ts';
import { layoutsOf } from './snapshot-of-header.ts';

/** The extension headers that were found: what they declare and the layouts of their structs. */
export interface ExtensionHeaders {
  declared: Map<string, Declarations>;
  layouts: Map<string, Map<string, StructLayout>>;
}

/** Reads every known extension header that `read` can give; `core` answers for the types of the C API itself. */
export function readExtensionHeaders(
  read: (path: string) => string | undefined,
  core: (type: string) => TypeSize,
): ExtensionHeaders {
  const paths = [...SUPPORT_HEADERS, ...EXTENSION_FACTS.flatMap((fact) => fact.header ?? [])];
  const declared = new Map<string, Declarations>();
  for (const path of paths) {
    const source = read(path);
    if (source !== undefined) declared.set(path, readDeclarations(source, path));
  }
  const layouts = new Map([...declared].map(([path, own]) => [path, layoutsOf(own, core)]));
  return { declared, layouts };
}

/** A new extension table: headers that were not found keep what the old table says. */
export function extensionTable(
  headers: ExtensionHeaders,
  origin: { date: string; commit: string; minor: number },
  old?: ExtensionTable,
): ExtensionTable {
  const table: ExtensionTable = {
    ...origin,
    extensions: [],
    functions: {},
    enums: {},
    layoutSince: LAYOUT_SINCE,
    headers: {},
  };
  table.functions = { ...old?.functions };
  table.enums = { ...old?.enums };
  table.headers = { ...old?.headers };
  for (const [path, declared] of headers.declared) {
    for (const [name, declarator] of declared.functions) table.functions[name] = declarator;
    for (const [name, values] of declared.enums) table.enums[name] = Object.fromEntries(values);
    table.headers[path] = Object.fromEntries(
      [...headers.layouts.get(path)!].map(([name, layout]) => {
        const row = rowOf(structSnapshot(layout));
        return [name, { ...row, fields: declared.structs.get(name)!.fields }];
      }),
    );
  }
  table.extensions = EXTENSION_FACTS.map((fact) => {
    const before = old?.extensions.find((e) => e.type === fact.type);
    const sizes = before?.sizes ?? fact.sizes;
    const numbers = fact.header === undefined ? undefined : headers.declared.get(fact.header)?.numbers;
    const version = [...(numbers ?? [])].find(([name]) => name.endsWith('_EXTENSION_VERSION'))?.[1] ?? before?.version;
    const size = layoutOfExtension(fact.header, fact.struct, headers)?.structSize;
    const grown = size !== undefined && sizes.at(-1)?.size !== size;
    return {
      ...fact,
      ...(version === undefined ? {} : { version }),
      sizes: grown ? [...sizes, { size, since: origin.date }] : sizes,
    };
  });
  return table;
}

function layoutOfExtension(header: string | undefined, struct: string | undefined, headers: ExtensionHeaders) {
  return header === undefined || struct === undefined ? undefined : headers.layouts.get(header)?.get(struct);
}
