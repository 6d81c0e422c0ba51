import { expect, test } from 'vitest';
import type { ElfFile } from '../../knowledge/binary/elf-file.ts';
import { staticNotes } from './static-notes.ts';

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

const exporting = (...names: string[]): Partial<ElfFile> => ({
  symbols: { exported: names.map((name) => ({ name, binding: 'global' as const })), imported: [] },
});

const kinds = (a: Partial<ElfFile>, b: Partial<ElfFile>) =>
  staticNotes([
    { name: 'a', elf: elf(a) },
    { name: 'b', elf: elf(b) },
  ]).map(({ kind, level, plugins }) => [kind, level, plugins.join()]);

test('plugins that only export their entry have nothing in common', () => {
  expect(kinds(exporting('GetPjrtApi', '_end'), exporting('GetPjrtApi', '_end'))).toEqual([]);
});

test('symbols of the same names, unless both bind their own', () => {
  const both = exporting('GetPjrtApi', 'LLVMInitialize');
  expect(kinds(both, both)).toEqual([['clash', 'info', 'a,b']]);
  expect(kinds({ ...both, symbolic: true }, { ...both, symbolic: true })).toEqual([]);
});

test('unique symbols are shared even with RTLD_LOCAL', () => {
  const unique: Partial<ElfFile> = {
    symbols: { exported: [{ name: '_ZGVZ4onceE', binding: 'unique' }], imported: [] },
  };
  expect(kinds(unique, unique)).toEqual([['unique', 'warning', 'a,b']]);
});

test('names and needs of libraries; those of the system are no matter', () => {
  expect(kinds({ soname: 'libx.so', needed: ['libc.so.6'] }, { soname: 'libx.so', needed: ['libc.so.6'] })).toEqual([
    ['soname', 'info', 'a,b'],
  ]);
  expect(kinds({ needed: ['libcudart.so.13'] }, { needed: ['libcudart.so.13'] })).toEqual([['needed', 'info', 'a,b']]);
});

test('stacks, search paths and static thread-local storage', () => {
  expect(kinds({ executableStack: true, runpath: ['lib'] }, {})).toEqual([
    ['stack', 'warning', 'a'],
    ['search-path', 'warning', 'a'],
  ]);
  expect(kinds({ staticTlsBytes: 1000 }, { staticTlsBytes: 600 })).toEqual([]);
  expect(kinds({ staticTlsBytes: 1000 }, { staticTlsBytes: 700 })).toEqual([['static-tls', 'warning', 'a,b']]);
});
