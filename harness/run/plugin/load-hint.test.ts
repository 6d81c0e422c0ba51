import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { PE_X64, peLibrary } from '../../../tests/support/foreign-libraries.ts';
import { bytesInMemory } from '../../knowledge/binary/byte-source.ts';
import { explainLoad, HINTS, notForHere } from './load-hint.ts';

const HOST = { platform: 'linux', arch: 'x64' } as const;
const NEEDED = 'this machine needs a shared library (ELF, 64-bit, little-endian) for x86-64';

function elf(type: number, machine: number, identity = '\x02\x01'): Uint8Array {
  const head = Buffer.alloc(64);
  head.write(`\x7fELF${identity}\x01`, 'latin1');
  head.writeUInt16LE(type, 16);
  head.writeUInt16LE(machine, 18);
  return head;
}

const text = (start: string): Uint8Array => Buffer.from(start.padEnd(64, ' '), 'latin1');

test.each<[string, Uint8Array, string | undefined]>([
  [
    'a library for another processor',
    elf(3, 183),
    `the file is a shared library (ELF, 64-bit, little-endian) for AArch64; ${NEEDED}`,
  ],
  [
    'a library for a processor without a name',
    elf(3, 999),
    `the file is a shared library (ELF, 64-bit, little-endian) for machine 999; ${NEEDED}`,
  ],
  [
    'a program',
    elf(2, 62),
    'the file is a program, not a shared library (ELF, 64-bit, little-endian) for x86-64; link it with -shared',
  ],
  [
    'an object file',
    elf(1, 62),
    'the file is an object file (ELF, 64-bit, little-endian) for x86-64; it must be linked as a shared library',
  ],
  [
    'the x32 ABI',
    elf(3, 62, '\x01\x01'),
    `the file is a shared library (ELF, 32-bit, little-endian) for x86-64; ${NEEDED}`,
  ],
  [
    'another byte order',
    elf(0x300, 0x1500, '\x02\x02'),
    `the file is a shared library (ELF, 64-bit, big-endian) for 64-bit PowerPC; ${NEEDED}`,
  ],
  ['text', text('This is a text file.'), 'the file is a text file, not a shared library'],
  [
    'a wheel',
    text('PK\x03\x04'),
    'the file is a zip archive, as Python wheels are; give the library inside it: unzip -l lists the names',
  ],
  [
    'a macOS library',
    text('\xcf\xfa\xed\xfe\x07\x00\x00\x00'),
    `the file is a file for macOS (Mach-O, 64-bit) for x86; ${NEEDED}`,
  ],
  [
    'a torn file',
    Buffer.from('\x7fELF', 'latin1'),
    'the file is cut off: an ELF header has 52 bytes or more; build or download the library again',
  ],
  ['a fitting library', elf(3, 62), undefined],
  ['a few words', Buffer.from('no such build\n', 'latin1'), 'the file is a text file, not a shared library'],
  ['no bytes', Buffer.alloc(0), 'the file is empty'],
])('%s', (_, head, hint) => {
  expect(notForHere(bytesInMemory(head), HOST)).toBe(hint);
});

test.each([
  ['undefined-symbol', '--binding lazy'],
  ['missing-library', 'pjrt-conformance doctor'],
  ['missing-version', 'newer system libraries'],
] as const)('%s', (problem, hint) => {
  expect(HINTS[problem]).toContain(hint);
});

test.each([
  ['darwin', 'arm64', 'a dynamic library for macOS (Mach-O, 64-bit) for AArch64'],
  ['win32', 'x64', 'a DLL for Windows (PE) for x86-64'],
  ['linux', 's390x', 'a shared library (ELF, 64-bit, big-endian) for IBM Z'],
] as const)('what %s-%s needs', (platform, arch, needed) => {
  expect(notForHere(bytesInMemory(elf(3, 62)), { platform, arch })).toBe(
    `the file is a shared library (ELF, 64-bit, little-endian) for x86-64; this machine needs ${needed}`,
  );
});

test.runIf(process.platform === 'linux')(
  'the words of the loader give way to the file, unless it is one for this machine',
  () => {
    const path = join(mkdtempSync(join(tmpdir(), 'load-hint-')), 'foo.so');
    const failure = { stage: 'load', message: 'foo.so: invalid ELF header\nmore', problem: 'missing-version' } as const;
    writeFileSync(
      path,
      peLibrary({ machine: PE_X64, minimumSystem: [6, 0], name: 'foo.dll', exported: ['GetPjrtApi'] }),
    );
    expect(explainLoad(path, failure)).toMatch(
      /foo\.so: the file is a DLL for Windows \(PE\) for x86-64; this machine needs [^;]* for [\w-]+$/,
    );
    const own = Buffer.from(readFileSync(process.execPath).subarray(0, 64));
    own.writeUInt16LE(3, 16);
    writeFileSync(path, own);
    expect(explainLoad(path, failure)).toBe(
      'foo.so: invalid ELF header (the plugin was built for newer system libraries than these)\nmore',
    );
    rmSync(dirname(path), { recursive: true });
  },
);
