import { compareVersions } from '../../base/dotted-version.ts';
import type { ElfFile } from '../../knowledge/binary/elf-file.ts';

/** The newest version of a family of symbols that a file requires. */
export interface NewestVersion {
  /** `GLIBC`, `GLIBCXX`, `CXXABI`. */
  family: string;
  version: string;
  /** Libraries that must have it. */
  libraries: string[];
  /** Symbols that need this very version; without them the file would run with older libraries. */
  symbols: string[];
}

/** Newest required version by family, sorted by family. Weak requirements do not count. */
export function newestVersions({ neededVersions, symbols }: ElfFile): NewestVersion[] {
  const newest = new Map<string, NewestVersion>();
  for (const { library, version, weak } of neededVersions) {
    const [, family, number] = /^([A-Z]+)_(\d+(?:\.\d+)*)$/.exec(version) ?? [];
    if (family === undefined || number === undefined || weak) continue;
    const before = newest.get(family);
    const order = before ? compareVersions(before.version, number) : -1;
    if (order > 0) continue;
    if (before && order === 0) {
      before.libraries.push(library);
      continue;
    }
    const users = symbols.imported.filter((s) => s.version === version).map((s) => s.name);
    newest.set(family, { family, version: number, libraries: [library], symbols: users.sort() });
  }
  return [...newest.values()].sort((a, b) => (a.family < b.family ? -1 : 1));
}
