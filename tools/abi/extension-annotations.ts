import { ABI_TABLE } from '../../harness/knowledge/abi/abi-table.ts';
import type { ExtensionTable } from '../../harness/knowledge/abi/extension-format.ts';
import type { AbiTable, StructRow } from '../../harness/knowledge/abi/table-format.ts';
import { annotate } from './annotate.ts';

/** An extension table whose argument structs have the annotations that they should have, of extensions that may be called. */
export function annotateExtensions(table: ExtensionTable): ExtensionTable {
  const structs = Object.assign({}, ...Object.values(table.headers)) as Record<string, StructRow>;
  const inOut = Object.entries(structs).flatMap(([name, { fields }]) =>
    fields.filter((f) => f.inOut).map((f) => `${name}.${f.name}`),
  );
  const whole: AbiTable = {
    ...ABI_TABLE,
    inOut: [...ABI_TABLE.inOut, ...inOut],
    enums: {
      ...ABI_TABLE.enums,
      ...Object.fromEntries(Object.keys(table.enums).map((name) => [name, { values: [] }])),
    },
    structs: { ...ABI_TABLE.structs, ...structs },
  };
  const annotated = annotate(whole, new Set()).structs;
  const callable = new Set(table.extensions.filter((e) => e.probe !== 'R').map((e) => e.header));
  const headers = Object.entries(table.headers).map(([header, own]) => {
    const isAnnotated = (name: string) => callable.has(header) && /^PJRT_.*_Args$/.test(name);
    return [
      header,
      Object.fromEntries(Object.entries(own).map(([name, row]) => [name, isAnnotated(name) ? annotated[name]! : row])),
    ];
  });
  return { ...table, headers: Object.fromEntries(headers) };
}
