import type { ElfFile } from '../../knowledge/binary/elf-file.ts';
import { isOfPython } from '../../knowledge/binary/python-use.ts';
import { type Finding, finding } from './finding.ts';
import { type Loaded, type LoaderView, type Search, searchLibrary } from './library-search.ts';

/** A plugin and everything that the loader maps with it. */
export interface Closure {
  libraries: Loaded[];
  missing: { name: string; by: Loaded; search: Search }[];
  /** By the name under which they are needed. */
  byName: ReadonlyMap<string, Loaded>;
}

/** No process has so many; a damaged or malicious file must not make the walk endless. */
const MAX_LIBRARIES = 1000;

/** Walks the needs of a plugin breadth first, as the loader does. */
export function closureOf(path: string, elf: ElfFile, view: LoaderView): Closure {
  const libraries: Loaded[] = [{ path, elf }];
  const missing: Closure['missing'] = [];
  const byName = new Map<string, Loaded>();
  const given = new Set<string>();
  for (let i = 0; i < libraries.length && libraries.length < MAX_LIBRARIES; i++) {
    const by = libraries[i]!;
    for (const name of by.elf.needed) {
      if (given.has(name)) continue;
      given.add(name);
      const search = searchLibrary(name, by, view);
      if (!search.found) {
        missing.push({ name, by, search });
        continue;
      }
      const known = libraries.find((l) => l.path === search.found!.path);
      byName.set(name, known ?? search.found);
      if (!known) libraries.push(search.found);
    }
  }
  return { libraries, missing, byName };
}

/** Symbols listed before the rest is only counted. */
const LISTED = 12;

/** What the loader will not find: libraries, versions of them, symbols. Whether it was loaded decides what that means. */
export function libraryFindings(closure: Closure, loaded: boolean): Finding[] {
  const [plugin] = closure.libraries;
  if (!plugin) return [];
  const findings: Finding[] = [];
  // What the process has mapped already need not be found again.
  if (!loaded) findings.push(...closure.missing.map(missingLibrary), ...missingVersions(closure));
  if (findings.length === 0) {
    const others = closure.libraries.slice(1);
    const what = `${others.length} needed libraries are found, in the required versions`;
    const evidence = others.map(({ path, parent }) => `${path}, for ${parent?.path}`);
    findings.push(finding('needed-libraries', 'ok', what, evidence));
  }
  const undefinedSymbols = closure.missing.length === 0 ? missingSymbols(closure, plugin) : [];
  if (undefinedSymbols.length > 0) findings.push(missingSymbolsFinding(undefinedSymbols, loaded));
  return findings;
}

function missingLibrary({ name, by, search }: Closure['missing'][number]): Finding {
  const evidence = [`needed by ${by.path}`, ...search.tried.map((place) => `looked in ${place}`)];
  const next = `install the package that has ${name}, or add its directory to LD_LIBRARY_PATH; permanently: link the plugin with -Wl,-rpath,'$ORIGIN/…'`;
  return finding('needed-library', 'error', `the needed library ${name} is not found`, evidence, next);
}

function missingVersions({ libraries, byName }: Closure): Finding[] {
  const findings: Finding[] = [];
  for (const { path, elf } of libraries) {
    for (const { library, version, weak } of elf.neededVersions) {
      const provider = byName.get(library);
      if (weak || !provider || provider.elf.definedVersions.includes(version)) continue;
      // A library without any versions is taken as it is.
      if (provider.elf.definedVersions.length === 0) continue;
      const family = version.replace(/_[\d.]+$/, '_');
      const has = provider.elf.definedVersions.filter((v) => v.startsWith(family)).sort(byVersion);
      const users = elf.symbols.imported.filter((s) => s.version === version).map((s) => s.name);
      const evidence = [
        `needed by ${path}${users.length > 0 ? ` for ${some(users)}` : ''}`,
        `${provider.path} has ${has.length > 0 ? `${has[0]} to ${has.at(-1)}` : `no ${family}*`}`,
      ];
      const next = `run on a system whose ${library} is at least as new as ${version}, or build the plugin on an older one (use a manylinux image)`;
      findings.push(finding('needed-version', 'error', `${library} has no ${version}`, evidence, next));
    }
  }
  return findings;
}

/** Symbols that a plugin wants from others, and that no library it is linked with has. */
function missingSymbols({ libraries }: Closure, plugin: Loaded): string[] {
  const wanted = plugin.elf.symbols.imported.filter((s) => !s.weak).map((s) => s.name);
  const offered = new Set(libraries.flatMap(({ elf }) => elf.symbols.exported.map((s) => s.name)));
  // Python itself has its symbols, whatever a plugin is linked with.
  return wanted.filter((name) => !offered.has(name) && !isOfPython(name)).sort();
}

const missingSymbolsFinding = (names: readonly string[], loaded: boolean): Finding => ({
  id: 'undefined-symbol',
  severity: loaded ? 'warning' : 'error',
  what: `${names.length === 1 ? 'a symbol is' : `${names.length} symbols are`} in no library that the plugin is linked with`,
  evidence: [
    some(names),
    ...(loaded
      ? ['it was loaded nevertheless: they are functions that are resolved when called, or this process provides them']
      : []),
  ],
  next: 'link the plugin with the library that defines it; -Wl,-z,defs makes the linker refuse such a library',
});

const byVersion = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

const some = (names: readonly string[]): string =>
  `${names.slice(0, LISTED).join(', ')}${names.length > LISTED ? ` and ${names.length - LISTED} more` : ''}`;
