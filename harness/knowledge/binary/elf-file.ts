import { type ByteSource, unlessTorn } from './byte-source.ts';
import { readBuildId } from './elf-build-id.ts';
import { DT, type Dynamic, readDynamic } from './elf-dynamic.ts';
import { type ElfHeader, PT_GNU_STACK, PT_TLS, readElfHeader, readSections, type Section } from './elf-header.ts';
import { type DynamicSymbols, type ImportedSymbol, readSymbols } from './elf-symbols.ts';
import { type NeededVersion, readDefinedVersions, readNeededVersions, readSymbolVersions } from './elf-versions.ts';

/** What an ELF file contains. Damaged parts are absent or empty, and listed in `faults`. */
export interface ElfFile {
  /** ELF machine number and address size; a library must match its process in both. */
  machine: number;
  wide: boolean;
  buildId?: string;
  soname?: string;
  needed: string[];
  /** Search paths as written, `$ORIGIN` not expanded. */
  rpath?: string[];
  runpath?: string[];
  neededVersions: NeededVersion[];
  definedVersions: string[];
  symbols: DynamicSymbols;
  /** Has text relocations, which hardened systems reject. */
  textRelocations: boolean;
  /** A position-independent executable, which the loader does not load as a library. */
  isProgram: boolean;
  /** Makes the stacks of all threads executable. */
  executableStack: boolean;
  /** Bytes of thread-local variables that need room in the static block of each thread, which is limited. */
  staticTlsBytes: number;
  /** Binds its own symbols to its own definitions, whatever others define. */
  symbolic: boolean;
  /** What is damaged, one sentence each. */
  faults: string[];
}

const DF_SYMBOLIC = 2;
const DF_TEXTREL = 4;
const DF_STATIC_TLS = 0x10;
const DF_1_PIE = 0x08000000;

/** What is in a file, if it is an ELF file. */
export const elfFileIn = (source: ByteSource): ElfFile | undefined =>
  source.size >= 4 && source.read(0, 4, 'the file').getUint32(0) === 0x7f454c46 ? readElfFile(source) : undefined;

/** Reads an ELF file as far as possible. Never throws because of its contents. */
export function readElfFile(source: ByteSource): ElfFile {
  const faults: string[] = [];
  /** Runs one part; damage affects only this part. */
  const part = <T>(otherwise: T, read: () => T): T =>
    unlessTorn(read, ({ message }) => {
      faults.push(message);
      return otherwise;
    });
  const header = part<ElfHeader | undefined>(undefined, () => readElfHeader(source));
  const dynamic = header && part(undefined, () => readDynamic(source, header));
  const neededVersions = part<NeededVersion[]>([], () => (dynamic ? readNeededVersions(source, header!, dynamic) : []));
  const sections = part<Section[]>([], () => (header ? readSections(source, header) : []));
  const symbols = part<DynamicSymbols>({ exported: [], imported: [] }, () =>
    header ? readSymbols(source, header, sections, dynamic) : { exported: [], imported: [] },
  );
  if (dynamic) part(undefined, () => nameVersions(symbols.imported, neededVersions, source, header!, dynamic));
  const strings = (tag: number, what: string): string[] =>
    part<string[]>([], () => (dynamic?.values(tag) ?? []).map((at) => dynamic!.strings.at(at, what)));
  const paths = (tag: number, what: string): string[] | undefined => strings(tag, what)[0]?.split(':');
  return {
    machine: header?.machine ?? 0,
    wide: header?.wide ?? true,
    buildId: header && part(undefined, () => readBuildId(source, header)),
    soname: strings(DT.soname, 'DT_SONAME')[0],
    needed: strings(DT.needed, 'DT_NEEDED'),
    rpath: paths(DT.rpath, 'DT_RPATH'),
    runpath: paths(DT.runpath, 'DT_RUNPATH'),
    neededVersions,
    definedVersions: part<string[]>([], () => (dynamic ? readDefinedVersions(source, header!, dynamic) : [])),
    symbols,
    textRelocations: hasTextRelocations(dynamic),
    isProgram: Math.floor((dynamic?.value(DT.flags1) ?? 0) / DF_1_PIE) % 2 === 1,
    executableStack: header?.segments.find(({ type }) => type === PT_GNU_STACK)?.executable ?? false,
    staticTlsBytes: hasFlag(dynamic, DF_STATIC_TLS)
      ? (header?.segments.find(({ type }) => type === PT_TLS)?.memoryBytes ?? 0)
      : 0,
    symbolic: dynamic?.value(DT.symbolic) !== undefined || hasFlag(dynamic, DF_SYMBOLIC),
    faults,
  };
}

function nameVersions(
  imported: ImportedSymbol[],
  needed: readonly NeededVersion[],
  source: ByteSource,
  header: ElfHeader,
  dynamic: Dynamic,
): void {
  const last = imported.reduce((most, { index }) => Math.max(most, index), 0);
  const versions = readSymbolVersions(source, header, dynamic, last + 1);
  const names = new Map(needed.map((v) => [v.index, v.version]));
  for (const symbol of imported) {
    const version = versions && names.get(versions[symbol.index]!);
    if (version !== undefined) symbol.version = version;
  }
}

const hasTextRelocations = (dynamic: Dynamic | undefined): boolean =>
  dynamic?.value(DT.textrel) !== undefined || hasFlag(dynamic, DF_TEXTREL);

const hasFlag = (dynamic: Dynamic | undefined, flag: number): boolean =>
  Math.floor((dynamic?.value(DT.flags) ?? 0) / flag) % 2 === 1;
