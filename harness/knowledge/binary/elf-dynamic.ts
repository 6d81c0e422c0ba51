import { type ByteSource, TornFileError } from './byte-source.ts';
import { type ElfHeader, PT_DYNAMIC, PT_LOAD } from './elf-header.ts';
import { ElfStrings } from './elf-strings.ts';

/** Tags of the dynamic section in use here. */
export const DT = {
  needed: 1,
  hash: 4,
  strtab: 5,
  symtab: 6,
  strsz: 10,
  soname: 14,
  rpath: 15,
  symbolic: 16,
  textrel: 22,
  flags: 30,
  runpath: 29,
  gnuHash: 0x6ffffef5,
  versym: 0x6ffffff0,
  flags1: 0x6ffffffb,
  verdef: 0x6ffffffc,
  verdefnum: 0x6ffffffd,
  verneed: 0x6ffffffe,
  verneednum: 0x6fffffff,
} as const;

/** Linkers write a few dozen entries. */
const MAX_BYTES = 64 << 10;

/** What an ELF file specifies for the dynamic loader. */
export interface Dynamic {
  /** First value of a tag. */
  value(tag: number): number | undefined;
  values(tag: number): number[];
  /** File offset of a virtual address. @throws TornFileError if no segment contains it */
  offsetOf(address: number, what: string): number;
  strings: ElfStrings;
}

/** Reads the dynamic section as the loader does; undefined if there is none. @throws TornFileError */
export function readDynamic(source: ByteSource, header: ElfHeader): Dynamic | undefined {
  const segment = header.segments.find((s) => s.type === PT_DYNAMIC);
  if (!segment || segment.fileBytes === 0) return undefined;
  const entryBytes = header.wide ? 16 : 8;
  const table = source.read(segment.offset, Math.min(segment.fileBytes, MAX_BYTES), 'the dynamic section');
  const entries: [tag: number, value: number][] = [];
  for (let at = 0; at + entryBytes <= table.byteLength; at += entryBytes) {
    const tag = header.word(table, at);
    if (tag === 0) break;
    entries.push([tag, header.word(table, at + entryBytes / 2)]);
  }
  const value = (tag: number): number | undefined => entries.find(([t]) => t === tag)?.[1];
  const offsetOf = (address: number, what: string): number => {
    const home = header.segments.find(
      (s) => s.type === PT_LOAD && address >= s.address && address < s.address + s.fileBytes,
    );
    if (!home) throw new TornFileError(`${what} would be at address 0x${address.toString(16)}, which no segment holds`);
    return home.offset + (address - home.address);
  };
  const [address, bytes] = [value(DT.strtab), value(DT.strsz)];
  if (address === undefined || bytes === undefined)
    throw new TornFileError('the dynamic section names no string table');
  const what = 'the dynamic string table';
  const strings = new ElfStrings(source.read(offsetOf(address, what), bytes, what));
  return { value, values: (tag) => entries.filter(([t]) => t === tag).map(([, v]) => v), offsetOf, strings };
}
