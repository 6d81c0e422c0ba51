import { type ByteSource, TornFileError, unlessTorn } from './byte-source.ts';

/** A segment, from its program header. */
interface Segment {
  type: number;
  offset: number;
  address: number;
  fileBytes: number;
  memoryBytes: number;
  executable: boolean;
}

/** A section, from its section header. */
export interface Section {
  type: number;
  offset: number;
  bytes: number;
  /** Index of another section; for symbols, their string table. */
  link: number;
}

/** Header of an ELF file of either class and byte order, with functions that read its fields. */
export interface ElfHeader {
  wide: boolean;
  little: boolean;
  type: number;
  machine: number;
  segments: Segment[];
  /** Reads an address-sized field. */
  word(view: DataView, at: number): number;
}

export const PT_LOAD = 1;
export const PT_DYNAMIC = 2;
export const PT_NOTE = 4;
export const PT_TLS = 7;
export const PT_GNU_STACK = 0x6474e551;

const PF_X = 1;

/** A table of headers, each of which has at least so many bytes. @throws TornFileError */
function headersIn(
  source: ByteSource,
  start: number,
  entryBytes: number,
  count: number,
  { what, least }: { what: string; least: number },
): DataView {
  if (entryBytes >= least) return source.read(start, entryBytes * count, `the table of ${count} ${what}s`);
  throw new TornFileError(`the ELF header says that a ${what} has ${entryBytes} bytes; it has ${least}`);
}

/** Reads the file header and the program headers. @throws TornFileError */
export function readElfHeader(source: ByteSource): ElfHeader {
  const identity = source.read(0, 20, 'the ELF header');
  const wide = identity.getUint8(4) !== 1;
  const little = identity.getUint8(5) !== 2;
  const view = source.read(0, wide ? 64 : 52, 'the ELF header');
  const word = (of: DataView, at: number): number =>
    wide ? Number(of.getBigUint64(at, little)) : of.getUint32(at, little);
  const start = word(view, wide ? 32 : 28);
  const entryBytes = view.getUint16(wide ? 54 : 42, little);
  const count = view.getUint16(wide ? 56 : 44, little);
  const header = { wide, little, type: view.getUint16(16, little), machine: view.getUint16(18, little), word };
  if (count === 0) return { ...header, segments: [] };
  const table = headersIn(source, start, entryBytes, count, { what: 'program header', least: wide ? 56 : 32 });
  const segments = Array.from({ length: count }, (_, i): Segment => {
    const at = i * entryBytes;
    return {
      type: table.getUint32(at, little),
      offset: word(table, at + (wide ? 8 : 4)),
      address: word(table, at + (wide ? 16 : 8)),
      fileBytes: word(table, at + (wide ? 32 : 16)),
      memoryBytes: word(table, at + (wide ? 40 : 20)),
      executable: (table.getUint32(at + (wide ? 4 : 24), little) & PF_X) !== 0,
    };
  });
  return { ...header, segments };
}

const ELF_MAGIC = 0x7f454c46;

/** Reads something of an ELF file; undefined if the file is something else, or damaged. */
export const ifElf = <T>(source: ByteSource, read: (header: ElfHeader) => T): T | undefined =>
  unlessTorn(
    () => (source.read(0, 4, 'the magic number').getUint32(0) === ELF_MAGIC ? read(readElfHeader(source)) : undefined),
    () => undefined,
  );

/** Reads the section headers, which a loadable file need not have. @throws TornFileError */
export function readSections(source: ByteSource, { wide, little, word }: ElfHeader): Section[] {
  const header = source.read(0, wide ? 64 : 52, 'the ELF header');
  const start = word(header, wide ? 40 : 32);
  const entryBytes = header.getUint16(wide ? 58 : 46, little);
  const count = header.getUint16(wide ? 60 : 48, little);
  if (start === 0 || count === 0) return [];
  const table = headersIn(source, start, entryBytes, count, { what: 'section header', least: wide ? 64 : 40 });
  return Array.from({ length: count }, (_, i): Section => {
    const at = i * entryBytes;
    return {
      type: table.getUint32(at + 4, little),
      offset: word(table, at + (wide ? 24 : 16)),
      bytes: word(table, at + (wide ? 32 : 20)),
      link: table.getUint32(at + (wide ? 40 : 24), little),
    };
  });
}
