import { expect, test } from 'vitest';
import type { ElfFile } from '../../knowledge/binary/elf-file.ts';
import type { LoaderView } from './library-search.ts';
import { searchLibrary } from './library-search.ts';
import { parseCache } from './loader-view.ts';
import { closureOf, libraryFindings } from './needed-libraries.ts';

const elf = (parts: Partial<ElfFile> = {}): ElfFile => ({
  machine: 62,
  wide: true,
  needed: [],
  neededVersions: [],
  definedVersions: [],
  symbols: { exported: [], imported: [] },
  textRelocations: false,
  isProgram: false,
  executableStack: false,
  staticTlsBytes: 0,
  symbolic: false,
  faults: [],
  ...parts,
});

const view = (files: Record<string, ElfFile>, more: Partial<LoaderView> = {}): LoaderView => ({
  read: (path) => files[path],
  cache: new Map(),
  libraryPath: undefined,
  trusted: ['/lib'],
  ...more,
});

const places = (by: ElfFile, files: Record<string, ElfFile>, more: Partial<LoaderView> = {}, parent?: ElfFile) => {
  const owner = { path: '/p/plugin.so', elf: by, ...(parent ? { parent: { path: '/q/parent.so', elf: parent } } : {}) };
  const { found, tried } = searchLibrary('libx.so', owner, view(files, more));
  return [found?.path, ...tried];
};

test('the order of the loader', () => {
  const cache = new Map([['libx.so', ['/c/libx.so']]]);
  expect(places(elf({ rpath: ['$ORIGIN/r'] }), {}, { libraryPath: '/l1:/l2', cache })).toEqual([
    undefined,
    'RPATH /p/r',
    'LD_LIBRARY_PATH /l1',
    'LD_LIBRARY_PATH /l2',
    'ld.so.cache /c/libx.so',
    'default /lib',
  ]);
  // DT_RUNPATH comes after LD_LIBRARY_PATH, and DT_RPATH is not looked at when it is there.
  expect(places(elf({ rpath: ['/r'], runpath: ['${ORIGIN}/u'] }), {}, { libraryPath: '/l' })).toEqual([
    undefined,
    'LD_LIBRARY_PATH /l',
    'RUNPATH /p/u',
    'ld.so.cache (not in it)',
    'default /lib',
  ]);
  // The DT_RPATH of whoever brought the library counts too, its DT_RUNPATH does not.
  expect(places(elf(), {}, {}, elf({ rpath: ['$ORIGIN/r'] }))[1]).toBe('RPATH /q/r');
  expect(places(elf({ runpath: [] }), {}, {}, elf({ rpath: ['/r'] }))[1]).toBe('ld.so.cache (not in it)');
  expect(places(elf(), {}, {}, elf({ runpath: ['/u'] }))[1]).toBe('ld.so.cache (not in it)');
});

test('a library for another processor is skipped, as by the loader', () => {
  const files = { '/l/libx.so': elf({ machine: 183 }), '/m/libx.so': elf({ wide: false }), '/lib/libx.so': elf() };
  expect(places(elf(), files, { libraryPath: '/l:/m' })).toEqual([
    '/lib/libx.so',
    'LD_LIBRARY_PATH /l (found, but for another processor)',
    'LD_LIBRARY_PATH /m (found, but for another processor)',
    'ld.so.cache (not in it)',
    'default /lib',
  ]);
});

test('missing libraries, each with who needs it', () => {
  const files = {
    '/lib/liba.so': elf({ needed: ['libb.so', 'libc.so'] }),
    '/lib/libc.so': elf({ needed: ['liba.so'] }),
  };
  const closure = closureOf('/p/plugin.so', elf({ needed: ['liba.so', 'libc.so'] }), view(files));
  expect(closure.libraries.map((l) => l.path)).toEqual(['/p/plugin.so', '/lib/liba.so', '/lib/libc.so']);
  const [finding, ...more] = libraryFindings(closure, false);
  expect(more).toEqual([]);
  expect(finding).toMatchObject({
    id: 'needed-library',
    severity: 'error',
    what: 'the needed library libb.so is not found',
  });
  expect(finding?.evidence[0]).toBe('needed by /lib/liba.so');
  // A library that is mapped anyway must have been found.
  expect(libraryFindings(closure, true).map((f) => f.severity)).toEqual(['ok']);
});

test('missing versions, with what there is instead and who needs it', () => {
  const libc = elf({ definedVersions: ['libc.so.6', 'GLIBC_2.2.5', 'GLIBC_2.9', 'GLIBC_2.36'] });
  const need = (version: string, weak = false) => ({ library: 'libc.so.6', version, weak, index: 2 });
  const plugin = elf({
    needed: ['libc.so.6'],
    neededVersions: [need('GLIBC_2.38'), need('GLIBC_2.9'), need('GLIBC_ABI_DT_RELR', true)],
    symbols: { exported: [], imported: [{ name: '__isoc23_strtol', weak: true, index: 1, version: 'GLIBC_2.38' }] },
  });
  const closure = closureOf('/p/plugin.so', plugin, view({ '/lib/libc.so.6': libc }));
  expect(libraryFindings(closure, false)).toMatchObject([
    {
      id: 'needed-version',
      severity: 'error',
      what: 'libc.so.6 has no GLIBC_2.38',
      evidence: ['needed by /p/plugin.so for __isoc23_strtol', '/lib/libc.so.6 has GLIBC_2.2.5 to GLIBC_2.36'],
    },
  ]);
});

test('symbols that nobody has; weak ones may be missing', () => {
  const liba = elf({ symbols: { exported: [{ name: 'there', binding: 'global' }], imported: [] } });
  const wanted = (name: string, weak = false) => ({ name, weak, index: 1 });
  const imported = [wanted('there'), wanted('nowhere'), wanted('maybe', true)];
  const plugin = elf({ needed: ['liba.so'], symbols: { exported: [], imported } });
  const closure = closureOf('/p/plugin.so', plugin, view({ '/lib/liba.so': liba }));
  const found = (mapped: boolean) => libraryFindings(closure, mapped).find((f) => f.id === 'undefined-symbol');
  expect(found(false)).toMatchObject({ severity: 'error', evidence: ['nowhere'] });
  expect(found(true)).toMatchObject({ severity: 'warning' });
});

test('a chain of libraries without end is cut', () => {
  const endless: LoaderView = {
    ...view({}),
    read: (path) => elf({ needed: [`x${path.length}${path.slice(-20).replaceAll('/', '')}`] }),
  };
  expect(closureOf('/p/plugin.so', elf({ needed: ['liba.so'] }), endless).libraries.length).toBeLessThanOrEqual(1001);
});

test('what ldconfig lists', () => {
  const listing =
    "2 libs found in cache `/etc/ld.so.cache'\n\tlibz.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libz.so.1\n" +
    '\tlibz.so.1 (libc6) => /lib32/libz.so.1\n';
  expect(parseCache(listing)).toEqual(
    new Map([['libz.so.1', ['/lib/x86_64-linux-gnu/libz.so.1', '/lib32/libz.so.1']]]),
  );
});
