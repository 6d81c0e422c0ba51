import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MACH_ARM64,
  MACH_X64,
  machLibrary,
  PE_ARM64,
  PE_X64,
  peLibrary,
  universalLibrary,
} from '../../../tests/support/foreign-libraries.ts';
import { type ByteSource, bytesInMemory } from './byte-source.ts';
import { fileKind } from './file-kind.ts';
import type { Image } from './image.ts';
import { readMachFile } from './mach-file.ts';
import { readPeFile } from './pe-file.ts';

const LIBRARY = {
  machine: MACH_ARM64,
  minimumSystem: [13, 3] as [number, number],
  name: '@rpath/libfoo.dylib',
  needed: ['/usr/lib/libSystem.B.dylib', '@rpath/libbar.dylib'],
  optional: ['/usr/lib/libmaybe.dylib'],
  exported: ['other', 'GetPjrtApiVersion', 'GetPjrtApi', 'Get'],
  api: { structSize: 808, minor: 47 },
};
const DLL = { ...LIBRARY, machine: PE_X64, minimumSystem: [6, 2] as [number, number], name: 'foo.dll' };

const machOf = (bytes: Uint8Array): Image[] => readMachFile(bytesInMemory(bytes));
const peOf = (bytes: Uint8Array): Image => readPeFile(bytesInMemory(bytes));

const EXPECTED = {
  name: LIBRARY.name,
  needed: LIBRARY.needed,
  optional: LIBRARY.optional,
  exports: { count: 4, getPjrtApi: true },
  api: { major: 0, minor: 47, structSize: 808 },
  faults: [],
};

describe('a library of macOS', () => {
  test.each([false, true])('with the commands of older linkers: %s', (old) => {
    expect(machOf(machLibrary(LIBRARY, old))).toEqual([
      {
        ...EXPECTED,
        machine: 'AArch64',
        minimumSystems: [{ system: 'macOS', version: '13.3' }],
        searchPaths: ['@loader_path/lib'],
      },
    ]);
  });

  test('a universal one has an image for each processor', () => {
    const images = machOf(universalLibrary([LIBRARY, { ...LIBRARY, machine: MACH_X64, exported: [] }]));
    expect(images).toMatchObject([
      { ...EXPECTED, machine: 'AArch64' },
      { ...EXPECTED, machine: 'x86-64', exports: { count: 0, getPjrtApi: false } },
    ]);
  });

  test.each([[['GetPjrtApiVersion']], [['GetPjrt']], [['']]])('%j is not the entry point', (exported) => {
    expect(machOf(machLibrary({ ...LIBRARY, exported }))).toMatchObject([
      { exports: { count: 1, getPjrtApi: false }, faults: [] },
    ]);
  });
});

describe('a DLL of Windows', () => {
  test.each([
    [PE_X64, 'x86-64'],
    [PE_ARM64, 'AArch64'],
  ])('for machine %d', (machine, name) => {
    expect(peOf(peLibrary({ ...DLL, machine }))).toEqual({
      ...EXPECTED,
      name: 'foo.dll',
      machine: name,
      minimumSystems: [{ system: 'Windows', version: '6.2' }],
      searchPaths: [],
    });
  });

  test('its entry point is found among many names, and not among none', () => {
    const many = Array.from({ length: 200 }, (_, i) => `name${i}`);
    expect(peOf(peLibrary({ ...DLL, exported: many })).exports).toEqual({ count: 200, getPjrtApi: false });
    const exported = [...many, 'GetPjrtApi', 'A', 'Z'];
    expect(peOf(peLibrary({ ...DLL, exported })).exports).toEqual({ count: 203, getPjrtApi: true });
    expect(peOf(peLibrary({ ...DLL, exported: [] })).exports).toEqual({ count: 0, getPjrtApi: false });
  });
});

test.each([
  ['a size of another version', { structSize: 992, minor: 47 }, false],
  ['a version of before the first known one', { structSize: 400, minor: 2 }, false],
  ['a newer version', { structSize: 1600, minor: 180 }, true],
  ['a newer version in a smaller table', { structSize: 808, minor: 180 }, false],
  ['a version that will not be', { structSize: 1600, minor: 20_000 }, false],
])('an API table with %s', (_, api, isOne) => {
  for (const image of [peOf(peLibrary({ ...DLL, api })), machOf(machLibrary({ ...LIBRARY, api }))[0]!]) {
    expect(image.api).toEqual(isOne ? { major: 0, ...api } : undefined);
  }
});

const FILES: Readonly<Record<string, Buffer>> = {
  dylib: machLibrary(LIBRARY),
  'old dylib': machLibrary(LIBRARY, true),
  universal: universalLibrary([LIBRARY, { ...LIBRARY, machine: MACH_X64 }]),
  dll: peLibrary(DLL),
};

describe.each(Object.entries(FILES))('a damaged file: %s', (_, bytes) => {
  test('cut off anywhere, it is read as far as possible, with the reason', () => {
    const whole = imagesIn(bytes).length;
    for (let length = 8; length < bytes.length - 8; length += 37) {
      const images = readBounded(bytes.subarray(0, length));
      expect(images.length).toBeLessThanOrEqual(whole);
      const faults = images.flatMap((image) => image.faults);
      // Behind what is read, a section may end with zeros that nothing refers to.
      if (images.some((image) => image.api === undefined || !image.exports)) expect(faults).not.toEqual([]);
      for (const fault of faults)
        expect(fault).toMatch(/cut off|no section|does not fit|no end|truncated|has \d+ bytes/);
    }
  });

  test('changed anywhere, it is read without a crash, and with work that its size bounds', () => {
    const extreme = fc.constantFrom(0, 1, 0x7f, 0x80, 0xffff, 0x7fffffff, 0xffffffff);
    const value = fc.oneof(extreme, fc.nat(0xffff), fc.nat({ max: 0xffffffff }));
    const place = fc.oneof(fc.nat({ max: 0x300 }), fc.nat({ max: bytes.length - 5 }));
    const change = fc.record({ place, value, width: fc.constantFrom(1, 2, 4) });
    const length = fc.option(fc.nat({ max: bytes.length }), { nil: bytes.length, freq: 4 });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), length, (changes, end) => {
        const torn = Buffer.from(bytes);
        for (const { place: at, value: number, width } of changes)
          torn.writeUIntLE(number % 2 ** (8 * width), at, width);
        expect(fileKind(bytesInMemory(torn.subarray(0, end))).description).not.toBe('');
        readBounded(torn.subarray(0, end));
      }),
      { numRuns: 700 },
    );
  });
});

test('a table of exports whose branches meet, or lead in a circle', () => {
  const bytes = Buffer.from(FILES.dylib!);
  const trie = bytes.subarray(0x3000);
  // The root has one child, for `_`, at byte 7 of the table; its number is sent back to the root.
  expect(trie.toString('latin1', 2, 3)).toBe('_');
  trie.set([0x80, 0x80, 0], 4);
  expect(machOf(bytes)[0]).toMatchObject({ faults: ['the table of exports: two ways lead to its byte 0'] });
});

test('more load commands than any linker writes', () => {
  const bytes = Buffer.from(FILES.dylib!);
  bytes.writeUInt32LE(0xffffffff, 16);
  expect(machOf(bytes)[0]!.faults).toEqual(['the Mach-O header says that there are 4294967295 load commands']);
});

const imagesIn = (bytes: Uint8Array): Image[] =>
  Buffer.from(bytes).toString('latin1', 0, 2) === 'MZ' ? [peOf(bytes)] : machOf(bytes);

function readBounded(bytes: Uint8Array): Image[] {
  const source = bytesInMemory(bytes);
  let [reads, total] = [0, 0];
  const counted: ByteSource = {
    size: source.size,
    read: (offset, length, what) => {
      const view = source.read(offset, length, what);
      reads += 1;
      total += length;
      return view;
    },
  };
  const images = bytes[0] === 0x4d ? [readPeFile(counted)] : readMachFile(counted);
  expect(reads).toBeLessThan(20_000);
  expect(total).toBeLessThan(100 * bytes.length + 20_000_000);
  for (const { faults, needed, optional } of images) {
    expect(faults.length + needed.length + optional.length).toBeLessThan(10_100);
  }
  return images;
}
