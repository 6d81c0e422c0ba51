import { dirname, join } from 'node:path';
import type { ElfFile } from '../../knowledge/binary/elf-file.ts';

/** What the search needs to know of the system. */
export interface LoaderView {
  /** Reads a file as the loader would; undefined when it is not there or is no ELF file. */
  read(path: string): ElfFile | undefined;
  /** Paths by name, as `ldconfig -p` lists them. */
  cache: ReadonlyMap<string, readonly string[]>;
  libraryPath: string | undefined;
  /** Directories that are searched last. */
  trusted: readonly string[];
}

/** A library in memory, or on its way there. */
export interface Loaded {
  path: string;
  elf: ElfFile;
  /** Whose need brought it. */
  parent?: Loaded;
}

/** Where a library was looked for. */
export interface Search {
  found?: Loaded;
  /** Places in order, `RUNPATH /opt/foo/lib`, each once; with what was there and could not be used. */
  tried: string[];
}

/**
 * Looks for a needed library as the loader of glibc does: DT_RPATH of whoever needs it and of those who brought that one
 * (unless it has a DT_RUNPATH), LD_LIBRARY_PATH, DT_RUNPATH, the cache, the trusted directories.
 */
export function searchLibrary(name: string, by: Loaded, view: LoaderView): Search {
  const tried: string[] = [];
  const take = (path: string, place: string): Loaded | undefined => {
    const elf = view.read(path);
    const note = elf && !sameKind(elf, by.elf) ? ` (found, but for another processor)` : '';
    const line = `${place}${note}`;
    if (!tried.includes(line)) tried.push(line);
    return elf && note === '' ? { path, elf, parent: by } : undefined;
  };
  const inDirectories = (kind: string, directories: readonly string[]): Loaded | undefined => {
    for (const directory of directories) {
      const found = take(join(directory, name), `${kind} ${directory}`);
      if (found) return found;
    }
    return undefined;
  };
  if (name.includes('/')) return answer(take(expand(name, by.path), name), tried);
  const libraryPath = (view.libraryPath ?? '').split(/[:;]/).filter((directory) => directory !== '');
  const found =
    inDirectories('RPATH', rpathsOf(by)) ??
    inDirectories('LD_LIBRARY_PATH', libraryPath) ??
    inDirectories('RUNPATH', directorysOf(by.elf.runpath, by.path)) ??
    inCache() ??
    inDirectories('default', view.trusted);
  return answer(found, tried);

  function inCache(): Loaded | undefined {
    const paths = view.cache.get(name);
    if (!paths) tried.push('ld.so.cache (not in it)');
    for (const path of paths ?? []) {
      const hit = take(path, `ld.so.cache ${path}`);
      if (hit) return hit;
    }
    return undefined;
  }
}

const answer = (found: Loaded | undefined, tried: string[]): Search => ({ found, tried });

const sameKind = (a: ElfFile, b: ElfFile): boolean => a.machine === b.machine && a.wide === b.wide;

function rpathsOf(by: Loaded): string[] {
  if (by.elf.runpath) return [];
  const directories: string[] = [];
  for (let at: Loaded | undefined = by; at; at = at.parent) {
    if (!at.elf.runpath) directories.push(...directorysOf(at.elf.rpath, at.path));
  }
  return [...new Set(directories)];
}

const directorysOf = (paths: readonly string[] | undefined, owner: string): string[] => [
  ...new Set((paths ?? []).filter((path) => path !== '').map((path) => expand(path, owner))),
];

const expand = (path: string, owner: string): string => path.replace(/\$(?:ORIGIN|\{ORIGIN\})/g, dirname(owner));
