import { type ApiInData, apiInData } from '../../knowledge/binary/api-in-data.ts';
import { type ByteSource, withFile } from '../../knowledge/binary/byte-source.ts';
import { type ElfFile, readElfFile } from '../../knowledge/binary/elf-file.ts';
import { ifElf, PT_LOAD } from '../../knowledge/binary/elf-header.ts';
import {
  asProgram,
  type FileKind,
  fileKind,
  type Host,
  type Misfit,
  misfitText,
  unloadable,
} from '../../knowledge/binary/file-kind.ts';
import type { Image } from '../../knowledge/binary/image.ts';
import { readMachFile } from '../../knowledge/binary/mach-file.ts';
import { readPeFile } from '../../knowledge/binary/pe-file.ts';
import { type PythonUse, pythonUse } from '../../knowledge/binary/python-use.ts';
import { type SharedSymbols, sharedSymbols, uniqueSymbols } from '../../knowledge/binary/shared-symbols.ts';
import { type NewestVersion, newestVersions } from './newest-versions.ts';

/** Facts from a plugin's file, without loading it. */
export interface FileFacts extends Omit<FileKind, 'advice'> {
  /** Why this machine cannot load it, as the end of `the file is …`. */
  unloadable?: string;
  elf?: ElfFacts;
  /** Of a library for another system, by processor. */
  images?: Image[];
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
  /** What it calls of a Python that it does not start. */
  python?: PythonUse;
  textRelocations: boolean;
  /** The API table of a library that cannot be asked for it, if the compiler laid it out. */
  api?: ApiInData;
  /** What is damaged. */
  faults: string[];
}

/** A file as `inspect` shows it, with what only programs look at. */
export interface FileLook {
  facts: FileFacts;
  /** Why this machine cannot load it. */
  misfit?: Misfit;
  elf?: ElfFile;
}

/** Reads a file and everything in it that is of use. @throws what opening the file throws */
export function fileFacts(path: string, host: Host): FileLook {
  return withFile(path, (source) => {
    const kind = fileKind(source);
    const why = unloadable(kind, host);
    if (kind.format !== 'elf') {
      const images = imagesIn(kind.format, source);
      const { facts, ...rest } = look(kind, why);
      return { facts: { ...facts, ...(images ? { images } : {}) }, ...rest };
    }
    const elf = readElfFile(source);
    // Other programs have a type of their own, with its advice.
    const isPie = elf.isProgram && kind.advice === undefined;
    const { facts, ...rest } = look(isPie ? asProgram(kind) : kind, why ?? (elf.isProgram ? PROGRAM : undefined));
    const api = why && tableInElf(source);
    return { facts: { ...facts, elf: { ...elfFacts(elf), ...(api ? { api } : {}) } }, ...rest, elf };
  });
}

function imagesIn(format: FileKind['format'], source: ByteSource): Image[] | undefined {
  if (format === 'mach-o') return readMachFile(source);
  return format === 'pe' ? [readPeFile(source)] : undefined;
}

/** Asked only of a library that cannot be loaded: a loaded one says it itself. */
const tableInElf = (source: ByteSource): ApiInData | undefined =>
  ifElf(source, ({ wide, little, segments }) => {
    const data = segments.filter(({ type, executable }) => type === PT_LOAD && !executable);
    const extents = data.map(({ offset, fileBytes }) => ({ offset, bytes: fileBytes }));
    return wide && little ? apiInData(source, extents) : undefined;
  });

/** Position-independent programs have the type of libraries. */
const PROGRAM: Misfit = { what: 'a program, not a shared library', describes: false, advice: 'link it with -shared' };

const look = ({ advice: _, ...kind }: FileKind, misfit: Misfit | undefined): FileLook =>
  misfit === undefined ? { facts: kind } : { facts: { ...kind, unloadable: misfitText(misfit) }, misfit };

function elfFacts(elf: ElfFile): ElfFacts {
  const { exported } = elf.symbols;
  const python = pythonUse(elf);
  return {
    buildId: elf.buildId,
    soname: elf.soname,
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
    ...(python ? { python } : {}),
    textRelocations: elf.textRelocations,
    faults: elf.faults,
  };
}

/** Build systems repeat directories; the loader searches each of them once. */
const unrepeated = (paths: readonly string[]): string[] => [...new Set(paths)];
