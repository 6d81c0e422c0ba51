import { withFile } from '../binary/byte-source.ts';
import { type ElfFile, readElfFile } from '../binary/elf-file.ts';
import { type FileKind, fileKind, type Host, unloadable } from '../binary/file-kind.ts';
import { type SharedSymbols, sharedSymbols, uniqueSymbols } from '../binary/shared-symbols.ts';
import { type NewestVersion, newestVersions } from './newest-versions.ts';

/** Facts from a plugin's file, without loading it. */
export interface FileFacts extends Omit<FileKind, 'advice'> {
  /** Why this machine cannot load it, as the end of `the file is …`. */
  unloadable?: string;
  elf?: ElfFacts;
}

/** Parts of an ELF file that matter for loading it. */
export interface ElfFacts {
  buildId?: string;
  soname?: string;
  needed: string[];
  rpath?: string[];
  runpath?: string[];
  newestVersions: NewestVersion[];
  exports: {
    count: number;
    getPjrtApi: boolean;
    shared: SharedSymbols[];
    unique: string[];
  };
  textRelocations: boolean;
  /** What is damaged. */
  faults: string[];
}

/** Reads a file and all relevant parts of it. @throws what opening the file throws */
export function fileFacts(path: string, host: Host): { facts: FileFacts; elf?: ElfFile } {
  return withFile(path, (source) => {
    const { advice: _, ...kind } = fileKind(source);
    const why = unloadable(fileKind(source), host);
    if (kind.format !== 'elf') return { facts: { ...kind, ...(why === undefined ? {} : { unloadable: why }) } };
    const elf = readElfFile(source);
    const reason = why ?? (elf.isProgram ? 'a program, not a shared library; link it with -shared' : undefined);
    if (elf.isProgram)
      kind.description = kind.description.replace(/^a shared library/, 'a position-independent executable');
    const facts = { ...kind, ...(reason === undefined ? {} : { unloadable: reason }), elf: elfFacts(elf) };
    return { facts, elf };
  });
}

function elfFacts(elf: ElfFile): ElfFacts {
  const { exported } = elf.symbols;
  return {
    ...(elf.buildId === undefined ? {} : { buildId: elf.buildId }),
    ...(elf.soname === undefined ? {} : { soname: elf.soname }),
    needed: elf.needed,
    ...(elf.rpath ? { rpath: unrepeated(elf.rpath) } : {}),
    ...(elf.runpath ? { runpath: unrepeated(elf.runpath) } : {}),
    newestVersions: newestVersions(elf),
    exports: {
      count: exported.length,
      getPjrtApi: exported.some((s) => s.name === 'GetPjrtApi'),
      shared: sharedSymbols(exported),
      unique: uniqueSymbols(exported),
    },
    textRelocations: elf.textRelocations,
    faults: elf.faults,
  };
}

/** Build systems repeat directories; the loader searches each of them once. */
const unrepeated = (paths: readonly string[]): string[] => [...new Set(paths)];
