/** Bytes of files that are mistaken for plugins. */
export const STRANGE_FILES: Readonly<Record<string, { bytes: Buffer; description: RegExp }>> = {
  'mach-o.dylib': {
    bytes: words('be', [0xcffaedfe, 0x0c000001, 0, 0x06000000, 0, 0, 0, 0]),
    description: /^a dynamic library for macOS \(Mach-O, 64-bit\) for AArch64$/,
  },
  'universal.dylib': {
    bytes: words('be', [0xcafebabe, 2, 0x01000007, 3, 0x4000, 0x10, 14, 0x0100000c, 0, 0x8000, 0x10, 14]),
    description: /^a universal file for macOS \(Mach-O\) for x86-64, AArch64$/,
  },
  'windows.dll': { bytes: peHeader(), description: /^a DLL for Windows \(PE\) for x86-64$/ },
  'narrow.so': {
    bytes: elfHeader({ bits: 32, machine: 3 }),
    description: /^a shared library \(ELF, 32-bit, little-endian\) for x86$/,
  },
  'big-endian.so': {
    bytes: elfHeader({ bits: 64, machine: 22, big: true }),
    description: /^a shared library \(ELF, 64-bit, big-endian\) for IBM Z$/,
  },
  'core.so': { bytes: elfHeader({ bits: 64, machine: 62, type: 4 }), description: /^a core dump \(ELF, 64-bit/ },
  'cut-off.so': { bytes: Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), description: /^cut off: an ELF header has/ },
  'wheel.so': { bytes: Buffer.from('PK\x03\x04\x14\0\0\0\x08\0rest', 'latin1'), description: /^a zip archive/ },
  'static.so': { bytes: Buffer.from('!<arch>\n'), description: /^a static library$/ },
  'pointer.so': {
    bytes: Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n'),
    description: /^a Git LFS pointer$/,
  },
  'page.so': { bytes: Buffer.from('<!DOCTYPE html><title>404</title>'), description: /^an HTML page$/ },
  'script.so': { bytes: Buffer.from('INPUT(libfoo.so.1)\n'), description: /^a linker script$/ },
  'text.so': { bytes: Buffer.from('Hello, world.\n'), description: /^a text file, not a shared library$/ },
  'empty.so': { bytes: Buffer.alloc(0), description: /^empty$/ },
  'noise.so': { bytes: Buffer.from('00ff17f3c2', 'hex'), description: /^of an unknown format$/ },
};

function words(order: 'be' | 'le', values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => {
    if (order === 'be') bytes.writeUInt32BE(value, i * 4);
    else bytes.writeUInt32LE(value, i * 4);
  });
  return bytes;
}

function peHeader(): Buffer {
  const bytes = Buffer.alloc(512);
  bytes.write('MZ');
  bytes.writeUInt32LE(128, 60);
  bytes.write('PE\0\0', 128, 'latin1');
  bytes.writeUInt16LE(0x8664, 132);
  bytes.writeUInt16LE(0x2022, 150);
  return bytes;
}

/** A header of an ELF file without segments. */
function elfHeader(how: { bits: 32 | 64; machine: number; big?: boolean; type?: number }): Buffer {
  const { bits, machine, big = false, type = 3 } = how;
  const bytes = Buffer.alloc(64);
  bytes.write('\x7fELF', 'latin1');
  bytes.set([bits === 32 ? 1 : 2, big ? 2 : 1, 1], 4);
  for (const [at, value] of [
    [16, type],
    [18, machine],
  ] as const) {
    if (big) bytes.writeUInt16BE(value, at);
    else bytes.writeUInt16LE(value, at);
  }
  return bytes;
}
