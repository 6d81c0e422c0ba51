import { extensionStruct } from '../../../knowledge/abi/index.ts';
import { mappingAt, readMappings } from '../../ffi/mappings.ts';
import { readBytes, readWord } from '../../ffi/memory.ts';
import { StructView } from '../../pjrt/struct-view.ts';
import { probe } from '../probe.ts';
import { extensionOf, fail } from './support.ts';

/** The last function that every version of the profiler has; the ones after it came later and may be missing. */
const LAST = 'collect_data';

/** A profiler that is advertised has a table of functions; none is called. */
export const profilerExtension = probe('extension-profiler', {}, (context) => {
  const extension = extensionOf(context, 'Profiler');
  const mappings = readMappings();
  const table = extension.word('profiler_api') ?? 0n;
  if (table === 0n) fail(extension, 'profiler_api is NULL on the API table');
  if (table % 8n !== 0n || (mappings && !mappingAt(mappings, table)?.readable))
    fail(extension, 'profiler_api is no table');
  const layout = extensionStruct('PLUGIN_Profiler_Api');
  const last = layout.field(LAST);
  const size = Number(readWord(table));
  if (size < last.offset + last.size || size > 4096) {
    fail(extension, `the struct_size of the profiler's table is ${size}, expected ${last.offset + last.size} or more`);
  }
  const copy = new Uint8Array(layout.size);
  copy.set(readBytes(table, Math.min(size, layout.size)));
  const view = new StructView(layout, new DataView(copy.buffer));
  for (const field of layout.fields.slice(2)) {
    if (field.offset > last.offset) break;
    const address = view.word(field.name);
    if (address === 0n) fail(extension, `${field.name} of the profiler's table is NULL`);
    if (mappings && !mappingAt(mappings, address)?.executable)
      fail(extension, `${field.name} of the profiler's table is no code`);
  }
});
