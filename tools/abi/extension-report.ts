import { EXTENSION_TABLE, extensionStruct } from '../../harness/abi/extensions.ts';
import { structSnapshot } from '../../harness/abi/snapshot.ts';
import { compareSnapshots } from './compare-snapshots.ts';
import type { ExtensionHeaders } from './extension-table.ts';

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
