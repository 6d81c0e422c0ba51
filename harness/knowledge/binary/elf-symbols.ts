import { type ByteSource, unlessTorn, withFile } from './byte-source.ts';
import { DT, type Dynamic, readDynamic } from './elf-dynamic.ts';
import { type ElfHeader, ifElf, readSections, type Section } from './elf-header.ts';
import { ElfStrings } from './elf-strings.ts';

/** A symbol that a shared library exports. */
export interface ExportedSymbol {
  name: string;
  binding: 'global' | 'weak' | 'unique';
}

/** A symbol that a shared library imports. */
export interface ImportedSymbol {
  name: string;
  /** Weak symbols may stay unresolved. */
  weak: boolean;
  /** Index in the symbol table. */
  index: number;
  /** The required version, such as GLIBC_2.38. */
  version?: string;
}

/** The dynamic symbols of an ELF file. */
export interface DynamicSymbols {
  exported: ExportedSymbol[];
  imported: ImportedSymbol[];
}

const SHT_DYNSYM = 11;
const BINDINGS: Readonly<Record<number, ExportedSymbol['binding']>> = { 1: 'global', 2: 'weak', 10: 'unique' };
const CHAIN_BYTES = 64 << 10;

/**
 * Reads the dynamic symbols; both lists are empty if there are none.
 * @param sections may be empty: the loader does not need them
 * @throws TornFileError
 */
export function readSymbols(
  source: ByteSource,
  header: ElfHeader,
  sections: readonly Section[],
  dynamic: Dynamic | undefined,
): DynamicSymbols {
  const entryBytes = header.wide ? 24 : 16;
  const table = sectionTable(source, sections) ?? (dynamic && loaderTable(source, header, dynamic, entryBytes));
  if (!table) return { exported: [], imported: [] };
  return symbolsOf(source.read(table.offset, table.bytes, 'the dynamic symbol table'), table.strings, header);
}

/** Reads the symbols that an ELF library exports. @returns undefined if the file is something else, or damaged */
export function exportedSymbols(path: string): ExportedSymbol[] | undefined {
  return withFile(path, (source) =>
    ifElf(source, (header) => {
      const sections = unlessTorn(
        () => readSections(source, header),
        () => [],
      );
      return readSymbols(source, header, sections, readDynamic(source, header)).exported;
    }),
  );
}

interface SymbolTable {
  offset: number;
  bytes: number;
  strings: ElfStrings;
}

/** From the section headers, which state the number of symbols. */
function sectionTable(source: ByteSource, sections: readonly Section[]): SymbolTable | undefined {
  const table = sections.find((s) => s.type === SHT_DYNSYM);
  const strings = table && sections[table.link];
  if (!table || !strings) return undefined;
  const { offset, bytes } = table;
  return { offset, bytes, strings: new ElfStrings(source.read(strings.offset, strings.bytes, 'the symbol names')) };
}

/** As the loader does it, without sections: the hash tables give the number of symbols. */
function loaderTable(
  source: ByteSource,
  header: ElfHeader,
  dynamic: Dynamic,
  entryBytes: number,
): SymbolTable | undefined {
  const address = dynamic.value(DT.symtab);
  if (address === undefined) return undefined;
  const count = hashCount(source, header, dynamic) ?? gnuHashCount(source, header, dynamic);
  if (count === undefined) return undefined;
  const offset = dynamic.offsetOf(address, 'the dynamic symbol table');
  return { offset, bytes: count * entryBytes, strings: dynamic.strings };
}

function hashCount(source: ByteSource, { little }: ElfHeader, dynamic: Dynamic): number | undefined {
  const address = dynamic.value(DT.hash);
  if (address === undefined) return undefined;
  const what = 'the symbol hash table';
  return source.read(dynamic.offsetOf(address, what), 8, what).getUint32(4, little);
}

/** The last symbol is the end of the chain of the highest bucket; its hash is odd. */
function gnuHashCount(source: ByteSource, { little, wide }: ElfHeader, dynamic: Dynamic): number | undefined {
  const address = dynamic.value(DT.gnuHash);
  if (address === undefined) return undefined;
  const what = 'the GNU hash table';
  const start = dynamic.offsetOf(address, what);
  const head = source.read(start, 16, what);
  const [buckets, first, bloom] = [0, 4, 8].map((at) => head.getUint32(at, little)) as [number, number, number];
  const bucketsAt = start + 16 + bloom * (wide ? 8 : 4);
  const table = source.read(bucketsAt, buckets * 4, what);
  let last = 0;
  for (let at = 0; at < table.byteLength; at += 4) last = Math.max(last, table.getUint32(at, little));
  if (last < first) return first;
  const chains = bucketsAt + buckets * 4;
  for (;;) {
    const at = chains + (last - first) * 4;
    const piece = source.read(at, Math.max(4, Math.min(CHAIN_BYTES, source.size - at) & ~3), what);
    for (let i = 0; i < piece.byteLength; i += 4, last++) {
      if (piece.getUint32(i, little) & 1) return last + 1;
    }
  }
}

function symbolsOf(symbols: DataView, strings: ElfStrings, { wide, little }: ElfHeader): DynamicSymbols {
  const entryBytes = wide ? 24 : 16;
  const [info, other, section] = wide ? [4, 5, 6] : [12, 13, 14];
  const found: DynamicSymbols = { exported: [], imported: [] };
  // The first symbol is always empty.
  for (let at = entryBytes, index = 1; at + entryBytes <= symbols.byteLength; at += entryBytes, index++) {
    const bind = symbols.getUint8(at + info) >> 4;
    const visibility = symbols.getUint8(at + other) & 3;
    const binding = BINDINGS[bind];
    // Local, hidden and internal symbols are not visible to other libraries.
    if (binding === undefined || visibility === 1 || visibility === 2) continue;
    const name = strings.at(symbols.getUint32(at, little), `symbol ${index}`);
    if (name === '') continue;
    if (symbols.getUint16(at + section, little) !== 0) found.exported.push({ name, binding });
    else found.imported.push({ name, weak: binding === 'weak', index });
  }
  return found;
}
