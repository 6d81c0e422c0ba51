/** Loads the committed reference tables of fixtures/expected: the only file access in this directory. */
import { readFixture } from '../../base/fixtures.ts';
import { systemReason } from '../../base/system-reason.ts';
import { alloc, type HostArray } from './array.ts';
import { dtype } from './dtypes.ts';

/** A table or a column does not exist, or a table file is invalid. */
class TableError extends Error {
  override name = 'TableError';
}

/** A table file: columns of `count` elements, or of their own shape, each a string of element bits, big-endian hex, concatenated. */
interface TableFile {
  name: string;
  op: string;
  /** Contents of the columns, in words, and how they were generated. */
  about: string;
  count: number;
  columns: Record<string, { dtype: string; shape?: number[]; hex: string }>;
}

const cache = new Map<string, TableFile>();

/** Reads a table by name, e.g. `unary/sine_f32`. */
export function loadTable(name: string): TableFile {
  const known = cache.get(name);
  if (known) return known;
  if (!/^[a-z0-9_-]+(\/[a-z0-9_-]+)*$/i.test(name)) throw new TableError(`${JSON.stringify(name)} is not a table name`);
  let text: string;
  try {
    text = readFixture(`expected/${name}.json`).toString();
  } catch (error) {
    throw new TableError(`no table ${JSON.stringify(name)}: ${systemReason(error)}`);
  }
  const table = JSON.parse(text) as TableFile;
  cache.set(name, table);
  return table;
}

/** One column of a table: a vector, unless it has a shape. */
export function tableColumn(name: string, column: string): HostArray {
  const table = loadTable(name);
  const found = table.columns[column];
  if (!found) {
    throw new TableError(
      `table ${name} has no column ${JSON.stringify(column)}; it has ${Object.keys(table.columns).join(', ')}`,
    );
  }
  const array = alloc(dtype(found.dtype), found.shape ?? [table.count]);
  const item = array.dtype.hostBytes;
  const bytes = Buffer.from(found.hex, 'hex');
  if (bytes.length !== array.bytes.length) throw new TableError(`table ${name}: column ${column} has the wrong length`);
  for (let i = 0; i < bytes.length; i++) {
    array.bytes[i - (i % item) + (item - 1 - (i % item))] = bytes[i]!;
  }
  return array;
}
