import { expect, test } from 'vitest';
import { loadHint } from './load-hint.ts';

const HOST = { platform: 'linux', arch: 'x64' } as const;

function elf(type: number, machine: number, identity = '\x02\x01'): Uint8Array {
  const head = Buffer.alloc(64);
  head.write(`\x7fELF${identity}\x01`, 'latin1');
  head.writeUInt16LE(type, 16);
  head.writeUInt16LE(machine, 18);
  return head;
}

const text = (start: string): Uint8Array => Buffer.from(start.padEnd(64, ' '), 'latin1');

test.each<[string, Uint8Array, string | undefined]>([
  ['a library for another processor', elf(3, 183), 'the file is for AArch64, and this process runs on x86-64'],
  [
    'a library for a processor without a name',
    elf(3, 999),
    'the file is for machine 999, and this process runs on x86-64',
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
  ['the x32 ABI', elf(3, 62, '\x01\x01'), 'the file is for 32-bit processes, and this one has 64 bits'],
  ['text', text('This is a text file.'), 'the file is a text file, not a shared library'],
  [
    'a wheel',
    text('PK\x03\x04'),
    'the file is a zip archive, as Python wheels are; give the library inside it: unzip -l lists the names',
  ],
  [
    'a macOS library',
    text('\xcf\xfa\xed\xfe\x07\x00\x00\x00'),
    'the file is a file for macOS (Mach-O, 64-bit) for x86, which linux does not load',
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
  expect(loadHint(undefined, head, HOST)).toBe(hint);
});

test.each([
  ['undefined-symbol', '--binding lazy'],
  ['missing-library', 'pjrt-conformance doctor'],
  ['missing-version', 'newer system libraries'],
] as const)('%s', (problem, hint) => {
  expect(loadHint(problem, elf(3, 62), HOST)).toContain(hint);
});

test('on another system an ELF file is the wrong kind', () => {
  expect(loadHint(undefined, elf(3, 62), { platform: 'darwin', arch: 'arm64' })).toBe(
    'the file is a shared library (ELF, 64-bit, little-endian) for x86-64, which darwin does not load',
  );
});
