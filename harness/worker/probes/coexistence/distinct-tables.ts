import { walkExtensions } from '../../pjrt/extensions.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';
import { violated } from '../support/checks.ts';

/** The plugins of a process have tables, functions and extension nodes of their own. */
export const distinctTables = probe('distinct-tables', {}, (context) => {
  const plugins = context.subjects.map((s) => s.plugin);
  if (new Set(plugins.map(({ path }) => path)).size === 1)
    throw new NotSupported('the plugins are one library, which the process has once, with one table');
  for (const [i, one] of plugins.entries()) {
    for (const other of plugins.slice(i + 1)) {
      if (one.path === other.path) continue;
      const [a, b] = [one.api, other.api];
      const overlap = a.address < b.address + BigInt(b.tableBytes) && b.address < a.address + BigInt(a.tableBytes);
      if (overlap) violated('two plugins return the same function table', 'GetPjrtApi', 'ABI-LOAD-003');
      const nodes = (api: typeof a) => walkExtensions(api).nodes.map((n) => n.address);
      if (nodes(a).some((n) => nodes(b).includes(n)))
        violated('the extension chains of two plugins share a node', 'GetPjrtApi', 'ABI-EXT-001');
      for (const name of a.abi.functions) {
        const slot = a.slot(name);
        if (slot && slot === b.slot(name))
          violated(`two plugins have the same function as ${name}`, name, 'ABI-LOAD-003');
      }
    }
    if (one.getPjrtApi() !== one.api.address)
      violated('a plugin returns a different table after the other one was loaded', 'GetPjrtApi', 'ABI-LOAD-003');
  }
});
