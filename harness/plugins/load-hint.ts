/** What a file of a library is meant for, where it can be told. */
interface Host {
  platform: NodeJS.Platform;
  arch: string;
}

const MACHINES: Readonly<Record<number, string>> = {
  3: 'x86',
  8: 'MIPS',
  20: 'PowerPC',
  21: '64-bit PowerPC',
  22: 'IBM Z',
  40: '32-bit Arm',
  62: 'x86-64',
  183: 'AArch64',
  243: 'RISC-V',
  258: 'LoongArch',
};

const OWN_MACHINE: Readonly<Record<string, number>> = {
  x64: 62,
  arm64: 183,
  ia32: 3,
  arm: 40,
  ppc64: 21,
  s390x: 22,
  riscv64: 243,
  loong64: 258,
};

/** Beginnings of files that are taken for libraries by mistake. */
const MAGICS: readonly [RegExp, string][] = [
  [/^PK\x03\x04/, 'a zip archive, as Python wheels are; give the library inside it'],
  [/^!<arch>\n/, 'a static library; it must be linked as a shared one'],
  [/^\x1f\x8b/, 'a compressed file'],
  [/^MZ/, 'a library for Windows'],
  [/^(?:\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe)/, 'a library for macOS'],
  [/^version https:\/\/git-lfs/, 'a Git LFS pointer; fetch the file itself with `git lfs pull`'],
  [/^[\t\n\r\x20-\x7e]{32}|^[\t\n\r\x20-\x7e]+$/, 'a text file, not a shared library'],
];

const ELF_TYPES: Readonly<Record<number, string>> = {
  1: 'an object file; it must be linked as a shared library',
  2: 'a program, not a shared library',
  4: 'a core dump',
};

/**
 * Says what may be behind a failed load, from the beginning of the file (64 bytes or more) and the loader's message.
 * @returns undefined where the message says everything
 */
export function loadHint(message: string, head: Uint8Array, host: Host): string | undefined {
  const what = describeFile(head, host);
  if (what !== undefined) return `the file is ${what}`;
  if (/undefined symbol/.test(message)) {
    return 'no library that the plugin is linked with defines it; if it is a function, `--binding lazy` loads the plugin all the same, as frameworks do';
  }
  if (/version `[^']*' not found/.test(message)) return 'the plugin was built for newer system libraries than these';
  if (/: cannot open shared object file/.test(message)) {
    return 'a library that the plugin needs is not where the loader looks: see `ldd`, the RUNPATH of the plugin, LD_LIBRARY_PATH';
  }
  return undefined;
}

function describeFile(head: Uint8Array, host: Host): string | undefined {
  if (head.length === 0) return 'empty';
  const start = Buffer.from(head.subarray(0, 64)).toString('latin1');
  if (!start.startsWith('\x7fELF')) return MAGICS.find(([magic]) => magic.test(start))?.[1];
  if (head.length < 20) return 'cut off';
  if (host.platform !== 'linux') return `an ELF library, which ${host.platform} does not load`;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const little = head[5] === 1;
  const type = ELF_TYPES[view.getUint16(16, little)];
  if (type !== undefined) return type;
  const machine = view.getUint16(18, little);
  const own = OWN_MACHINE[host.arch];
  if (own === undefined || machine === own) return undefined;
  return `for ${MACHINES[machine] ?? `machine ${machine}`}, and this process runs on ${MACHINES[own]}`;
}
