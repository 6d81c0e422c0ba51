import { mappingAt, readMappings } from '../ffi/mappings.ts';
import type { PjrtApi } from './api.ts';
import { extensionSlots, haveSizes, walkExtensions } from './extensions.ts';

/** Where the functions begin in PJRT_Api. */
const HEAD = 40;

/**
 * What the table of functions and the chain of extensions are like, as `tables_are` of the programs of `export` has it; undefined
 * where the chain can't be followed.
 * @returns the text, and how many bytes of the table it is about
 */
export function tablesText(api: PjrtApi): { text: string; bytes: number } | undefined {
  const { nodes, faults } = walkExtensions(api);
  const mappings = readMappings();
  if (faults.length > 0 || !mappings || !haveSizes(api)) return undefined;
  const kind = (word: bigint): string => (word === 0n ? '0' : mappingAt(mappings, word)?.executable ? 'x' : '-');
  const image = api.tableImage();
  const view = new DataView(image.buffer, image.byteOffset, image.length);
  const slots = Array.from({ length: Math.floor((image.length - HEAD) / 8) }, (_, i) =>
    view.getBigUint64(HEAD + 8 * i, true),
  );
  const { major, minor } = api.version;
  const table = `struct_size ${api.tableBytes}, version ${major}.${minor} of ${view.getBigUint64(16, true)} bytes: `;
  const chain = nodes.map((node) => `extension ${node.type}, struct_size ${node.structSize}: `);
  const lines = [table, ...chain].map((head, i) => {
    const words = i === 0 ? slots : extensionSlots(nodes[i - 1]!);
    return `${head}${words.map(kind).join('')}\n`;
  });
  return { text: lines.join(''), bytes: image.length };
}
