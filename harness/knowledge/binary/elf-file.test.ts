import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../../../tests/support/c-compiler.ts';
import { type ByteSource, bytesInMemory, withFile } from './byte-source.ts';
import { buildIdOf } from './elf-build-id.ts';
import { readElfFile } from './elf-file.ts';
import { fileKind } from './file-kind.ts';

const SOURCE = `
#include <math.h>
#include <stdlib.h>
extern int elsewhere(void);
extern int maybe(void) __attribute__((weak));
int first(double x) { return (int)pow(x, 2.0) + elsewhere() + (maybe ? maybe() : 0); }
int second(void) { return atoi("2"); }
`;
const EXPORTS = ['first', 'second'];

describe.runIf(process.platform === 'linux')('an ELF library', () => {
  let directory: string;
  let library: string;
  let bytes: Buffer;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'elf-file-'));
    const source = join(directory, 'library.c');
    writeFileSync(source, SOURCE);
    writeFileSync(
      join(directory, 'versions.map'),
      'FOO_1.0 { global: first; };\nFOO_1.1 { global: second; } FOO_1.0;\n',
    );
    library = join(directory, 'libfoo.so');
    const linker = ['-soname,libfoo.so.1', '--build-id=0x0123456789abcdef', '--no-as-needed', '-z,lazy'];
    const more = [`--version-script=${join(directory, 'versions.map')}`, '--enable-new-dtags', '-rpath,$ORIGIN/a:/b'];
    const flags = [...linker, ...more].map((flag) => `-Wl,${flag}`);
    await compile(['-shared', '-fPIC', source, ...flags, '-o', library, '-lm']);
    bytes = readFileSync(library);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const expectFoo = (elf: ReturnType<typeof readElfFile>): void => {
    expect(elf).toMatchObject({
      buildId: '0123456789abcdef',
      soname: 'libfoo.so.1',
      needed: ['libm.so.6', 'libc.so.6'],
      runpath: ['$ORIGIN/a', '/b'],
      definedVersions: ['libfoo.so.1', 'FOO_1.0', 'FOO_1.1'],
      textRelocations: false,
      isProgram: false,
      faults: [],
    });
    expect(elf.rpath).toBeUndefined();
    const own = elf.symbols.exported.map((s) => s.name).filter((name) => EXPORTS.includes(name));
    expect(own.sort()).toEqual(EXPORTS);
    const imported = new Map(elf.symbols.imported.map((s) => [s.name, s]));
    expect(imported.get('elsewhere')).toMatchObject({ weak: false });
    expect(imported.get('elsewhere')).not.toHaveProperty('version');
    expect(imported.get('maybe')).toMatchObject({ weak: true });
    expect(imported.get('pow')?.version).toMatch(/^GLIBC_2\./);
    expect(elf.neededVersions).toContainEqual(
      expect.objectContaining({ library: 'libm.so.6', version: imported.get('pow')!.version }),
    );
  };

  test('is read from its file', () => {
    expectFoo(withFile(library, readElfFile));
  });

  test('its build id can be read alone, and is undefined for damaged and other files', () => {
    expect(buildIdOf(library)).toBe('0123456789abcdef');
    for (const [name, content] of [
      ['short', bytes.subarray(0, 30)],
      ['torn', bytes.subarray(0, 200)],
      ['text', Buffer.from('not a library at all, but a text')],
      ['empty', Buffer.alloc(0)],
    ] as const) {
      writeFileSync(join(directory, name), content);
      expect(buildIdOf(join(directory, name)), name).toBeUndefined();
    }
  });

  test('is read without section headers, as the loader does', () => {
    const bare = Buffer.from(bytes);
    bare.writeBigUInt64LE(0n, 40);
    bare.writeUInt16LE(0, 60);
    expectFoo(readElfFile(bytesInMemory(bare)));
  });

  test('DT_RPATH and DT_RUNPATH are distinguished, and programs from libraries', async () => {
    const old = join(directory, 'old.so');
    await compile(['-shared', '-fPIC', join(directory, 'library.c'), '-Wl,--disable-new-dtags,-rpath,/old', '-o', old]);
    expect(withFile(old, readElfFile)).toMatchObject({ rpath: ['/old'] });
    const program = join(directory, 'program');
    writeFileSync(join(directory, 'main.c'), 'int main(void) { return 0; }\n');
    await compile(['-pie', '-fPIE', join(directory, 'main.c'), '-o', program]);
    expect(withFile(program, readElfFile)).toMatchObject({ isProgram: true });
  });

  test('32-bit files are read too', async (context) => {
    const small = join(directory, 'small.so');
    const source = join(directory, 'small.c');
    writeFileSync(source, 'int small(void) { return 1; }\n');
    try {
      await compile(['-m32', '-nostdlib', '-shared', '-fPIC', source, '-o', small]);
    } catch {
      context.skip('the C compiler makes no 32-bit code');
    }
    const elf = withFile(small, readElfFile);
    expect(elf).toMatchObject({ wide: false, faults: [] });
    expect(elf.symbols.exported.map((s) => s.name)).toContain('small');
    expect(withFile(small, fileKind).description).toBe('a shared library (ELF, 32-bit, little-endian) for x86');
  });

  test('truncated anywhere, it is read as far as possible and what is missing is reported', () => {
    const messages = new Set<string>();
    for (let length = 0; length < bytes.length; length += 61) {
      for (const fault of readElfFile(bytesInMemory(bytes.subarray(0, length))).faults) messages.add(fault);
    }
    expect([...messages].join('\n')).toMatch(
      /the ELF header would be bytes 0 to \d+, but the file has \d+: it is cut off/,
    );
    expect([...messages].join('\n')).toMatch(/the table of \d+ section headers would be bytes/);
    const half = readElfFile(bytesInMemory(bytes.subarray(0, bytes.length - 64)));
    expect(half).toMatchObject({ soname: 'libfoo.so.1', needed: ['libm.so.6', 'libc.so.6'] });
    expect(half.faults).toHaveLength(1);
    // The section headers are gone; the loader's tables still say what is exported.
    expect(half.symbols.exported.map((s) => s.name)).toContain('first');
  });

  test('damaged in any way, it is read without a crash and without using more memory than its size', () => {
    const extreme = fc.constantFrom(0, 1, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff);
    const value = fc.oneof(extreme, fc.nat(0xffff), fc.nat({ max: bytes.length * 2 }), fc.nat({ max: 0xffffffff }));
    const place = fc.oneof(fc.nat({ max: 1023 }), fc.nat({ max: bytes.length - 9 }));
    const change = fc.record({ place, value, width: fc.constantFrom(1, 2, 4, 8) });
    const damage = fc.record({
      changes: fc.array(change, { minLength: 1, maxLength: 12 }),
      length: fc.option(fc.nat({ max: bytes.length }), { nil: bytes.length, freq: 4 }),
      bare: fc.boolean(),
    });
    fc.assert(
      fc.property(damage, ({ changes, length, bare }) => {
        const torn = Buffer.from(bytes);
        // The tables of the loader are reached only when there are no section headers.
        if (bare) torn.fill(0, 40, 48);
        for (const { place: at, value: number, width } of changes) {
          if (width === 8) torn.writeBigUInt64LE(BigInt(number) << 16n, at);
          else torn.writeUIntLE(number % 2 ** (8 * width), at, width);
        }
        expectBounded(torn.subarray(0, length));
      }),
      { numRuns: 1500 },
    );
  });

  test('a dynamic section with entries beyond all limits, and unterminated names', () => {
    const damage = (change: (dynamic: number, put: (at: number, tag: number, value: number) => void) => void) => {
      const torn = Buffer.from(bytes);
      const phoff = Number(torn.readBigUInt64LE(32));
      const header = Array.from({ length: torn.readUInt16LE(56) }, (_, i) => phoff + i * 56).find(
        (at) => torn.readUInt32LE(at) === 2,
      )!;
      change(Number(torn.readBigUInt64LE(header + 8)), (at, tag, value) => {
        torn.writeBigUInt64LE(BigInt(tag), at);
        torn.writeBigUInt64LE(BigInt(value), at + 8);
      });
      return expectBounded(torn);
    };
    const dynstrBytes = damage((dynamic, put) => put(dynamic, 1, 0xffffffff));
    expect(dynstrBytes.faults.join()).toMatch(/DT_NEEDED: no string at 4294967295 of a string table of \d+ bytes/);
    const versions = damage((dynamic, put) => put(dynamic, 0x6fffffff, 0xffffffff));
    expect(versions.faults.join()).toContain('the table of needed versions would have 4294967295 records');
  });
});

test('any bytes have some kind and are read without a crash', () => {
  const magic = fc.constantFrom(
    '',
    '\x7fELF',
    '\x7fELF\x01\x01',
    '\x7fELF\x02\x02',
    'MZ',
    '\xca\xfe\xba\xbe',
    '\xcf\xfa\xed\xfe',
  );
  fc.assert(
    fc.property(magic, fc.uint8Array({ maxLength: 300 }), (start, rest) => {
      const bytes = Buffer.concat([Buffer.from(start, 'latin1'), rest]);
      expect(fileKind(bytesInMemory(bytes)).description).not.toBe('');
      expectBounded(bytes);
    }),
    { numRuns: 2000 },
  );
});

/** Reads damaged bytes; the work is bounded by their size. */
function expectBounded(bytes: Uint8Array): ReturnType<typeof readElfFile> {
  const source = bytesInMemory(bytes);
  let reads = 0;
  let total = 0;
  const counted: ByteSource = {
    size: source.size,
    read: (offset, length, what) => {
      const view = source.read(offset, length, what);
      reads++;
      total += length;
      return view;
    },
  };
  const elf = readElfFile(counted);
  expect(reads).toBeLessThan(300_000);
  expect(total).toBeLessThan(20 * bytes.length + 4_000_000);
  const names = [...elf.symbols.exported, ...elf.symbols.imported];
  expect(names.reduce((sum, { name }) => sum + name.length, 0)).toBeLessThan(4 * bytes.length + 65_537);
  return elf;
}
