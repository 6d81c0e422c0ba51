import { apiInData } from './api-in-data.ts';
import { type ByteSource, type Extent, TornFileError } from './byte-source.ts';
import { ENTRY_POINT, emptyImage, type Image, partsOf, textAt } from './image.ts';
import { machineName } from './machine.ts';

/** A section: where it is in memory, and where in the file. */
interface Section extends Extent {
  address: number;
  isCode: boolean;
}

/** Tables of the optional header, by their index. */
const DIRECTORY = { exports: 0, imports: 1, delayedImports: 13 } as const;
const CODE = 0x20000020;
/** No library needs more; a damaged table has no end. */
const MAX_LIBRARIES = 4096;

interface Header {
  machine: string;
  wide: boolean;
  version: string;
  sections: Section[];
  /** Addresses of tables; 0 where there is none. */
  directories: number[];
}

/** What a PE file contains. Never throws because of its contents. */
export function readPeFile(source: ByteSource): Image {
  const image = emptyImage('an unknown processor');
  const part = partsOf(image);
  const header = part(() => readHeader(source));
  if (!header) return image;
  const { directories, sections } = header;
  image.machine = header.machine;
  image.minimumSystems.push({ system: 'Windows', version: header.version });
  part(() => librariesAt(source, header, directories[DIRECTORY.imports], 20, 12, image.needed));
  part(() => librariesAt(source, header, directories[DIRECTORY.delayedImports], 32, 4, image.optional));
  part(() => readExports(source, header, image));
  // Constants with addresses in them lie among those that are only read.
  const data = sections.filter(({ isCode, bytes }) => !isCode && bytes > 0);
  image.api = header.wide ? part(() => apiInData(source, data)) : undefined;
  return image;
}

/** @throws TornFileError */
function readHeader(source: ByteSource): Header {
  const start = source.read(60, 4, 'the DOS header').getUint32(0, true);
  const coff = source.read(start, 24, 'the PE header');
  if (coff.getUint32(0) !== 0x50450000)
    throw new TornFileError(`the DOS header names ${start}, and no PE header is there`);
  const [sectionCount, optionalBytes] = [coff.getUint16(6, true), coff.getUint16(20, true)];
  const optional = source.read(start + 24, optionalBytes, 'the optional header');
  const least = optionalBytes >= 2 && optional.getUint16(0, true) === 0x20b ? 112 : 96;
  if (optionalBytes < least) throw new TornFileError(`the optional header has ${optionalBytes} bytes; it has ${least}`);
  const tables = Math.min(optional.getUint32(least - 4, true), (optionalBytes - least) >> 3);
  const table = source.read(start + 24 + optionalBytes, 40 * sectionCount, `the table of ${sectionCount} sections`);
  return {
    machine: machineName('pe', coff.getUint16(4, true)),
    wide: least === 112,
    version: `${optional.getUint16(48, true)}.${optional.getUint16(50, true)}`,
    directories: Array.from({ length: tables }, (_, i) => optional.getUint32(least + 8 * i, true)),
    sections: Array.from({ length: sectionCount }, (_, i) => ({
      address: table.getUint32(40 * i + 12, true),
      bytes: table.getUint32(40 * i + 16, true),
      offset: table.getUint32(40 * i + 20, true),
      isCode: (table.getUint32(40 * i + 36, true) & CODE) !== 0,
    })),
  };
}

/** Where an address of memory is in the file. @throws TornFileError */
function offsetOf({ sections }: Header, address: number, what: string): number {
  const section = sections.find((s) => address >= s.address && address < s.address + s.bytes);
  if (section) return section.offset + (address - section.address);
  throw new TornFileError(`${what}: no section has the address 0x${address.toString(16)}`);
}

/** Adds the libraries of a table of imports, which ends with an entry without a name. @throws TornFileError */
function librariesAt(
  source: ByteSource,
  header: Header,
  address: number | undefined,
  entryBytes: number,
  nameAt: number,
  names: string[],
): void {
  if (!address) return;
  const what = 'the table of imports';
  for (let at = offsetOf(header, address, what); names.length < MAX_LIBRARIES; at += entryBytes) {
    const name = source.read(at, entryBytes, what).getUint32(nameAt, true);
    if (name === 0) return;
    names.push(textAt(source, offsetOf(header, name, 'the name of a library'), 'the name of a library'));
  }
  throw new TornFileError(`${what} has more than ${MAX_LIBRARIES} libraries`);
}

/** @throws TornFileError */
function readExports(source: ByteSource, header: Header, image: Image): void {
  const address = header.directories[DIRECTORY.exports];
  image.exports = { count: 0, getPjrtApi: false };
  if (!address) return;
  const what = 'the table of exports';
  const table = source.read(offsetOf(header, address, what), 40, what);
  const count = table.getUint32(24, true);
  image.exports = undefined;
  image.name = textAt(source, offsetOf(header, table.getUint32(12, true), 'its name'), 'its name');
  const names =
    count === 0 ? undefined : source.read(offsetOf(header, table.getUint32(32, true), what), 4 * count, what);
  const nameOf = (i: number): string => textAt(source, offsetOf(header, names!.getUint32(4 * i, true), what), what);
  image.exports = { count, getPjrtApi: isAmong(count, nameOf, ENTRY_POINT) };
}

/** Whether a name is among sorted ones, found as the loader of Windows finds it. */
function isAmong(count: number, nameOf: (index: number) => string, name: string): boolean {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = nameOf(middle);
    if (found === name) return true;
    if (found < name) low = middle + 1;
    else high = middle;
  }
  return false;
}
