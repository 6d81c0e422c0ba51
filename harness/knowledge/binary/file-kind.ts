import { type ByteSource, unlessTorn } from './byte-source.ts';
import { fatImages } from './mach-file.ts';
import { machineName, machineOfArch } from './machine.ts';

/** What a file is, judged by its first bytes. */
export interface FileKind {
  format: 'elf' | 'mach-o' | 'pe' | 'other' | 'text' | 'empty';
  /** In words, with the processor if it has one: `an ELF shared library, 64-bit little-endian, for x86-64`. */
  description: string;
  /** Processors that it has code for; several in a universal Mach-O file. */
  machines: string[];
  bits?: 32 | 64;
  byteOrder?: 'little' | 'big';
  /** What to do about a file of this kind; absent if it could be a plugin. */
  advice?: string;
}

/** Where a library is to be loaded. */
export interface Host {
  platform: NodeJS.Platform;
  arch: string;
}

const HEAD_BYTES = 4096;

/** Magic numbers of files that are mistaken for libraries. */
const MAGICS: readonly [RegExp, string, string][] = [
  [
    /^PK(?:\x03\x04|\x05\x06)/,
    'a zip archive, as Python wheels are',
    'give the library inside it: unzip -l lists the names',
  ],
  [/^!<arch>\n/, 'a static library', 'link it as a shared library'],
  [/^!<thin>\n/, 'a thin static library', 'link it as a shared library'],
  [/^\x1f\x8b/, 'a gzip file', 'unpack it and give the library inside it'],
  [/^\x28\xb5\x2f\xfd/, 'a Zstandard file', 'unpack it and give the library inside it'],
  [/^\xfd7zXZ\0/, 'an xz file', 'unpack it and give the library inside it'],
  [/^BC\xc0\xde/, 'LLVM bitcode', 'compile and link it as a shared library'],
  [/^ML\xefR/, 'MLIR bytecode', 'a program is not a plugin; give the library of the plugin itself'],
];

const TEXTS: readonly [RegExp, string, string][] = [
  [/^version https:\/\/git-lfs/, 'a Git LFS pointer', 'fetch the file itself with `git lfs pull`'],
  [/^(?:\/\*.*\*\/\s*)?(?:INPUT|GROUP|OUTPUT_FORMAT)\s*\(/s, 'a linker script', 'give the library that it names'],
  [/^#!/, 'a script', 'give the library of the plugin itself'],
  [/^\s*(?:<!DOCTYPE|<html)/i, 'an HTML page', 'the download failed: fetch the library again'],
];

/** What a file is, from its first bytes. Never throws because of its contents. */
export function fileKind(source: ByteSource): FileKind {
  if (source.size === 0) return { format: 'empty', description: 'empty', machines: [] };
  const head = source.read(0, Math.min(HEAD_BYTES, source.size), 'the beginning of the file');
  const start = Buffer.from(head.buffer).toString('latin1');
  if (start.startsWith('\x7fELF')) return elfKind(head);
  const magic = MAGICS.find(([pattern]) => pattern.test(start));
  if (magic) return { format: 'other', description: magic[1], machines: [], advice: magic[2] };
  if (start.startsWith('MZ')) return peKind(head);
  const mach = machKind(head, source);
  if (mach) return mach;
  if (/^[\t-\r\x1b\x20-\x7e\x80-\xff]*$/.test(start) && isUtf8(head)) {
    const [, description = 'a text file, not a shared library', advice] =
      TEXTS.find(([pattern]) => pattern.test(start)) ?? [];
    return { format: 'text', description, machines: [], ...(advice ? { advice } : {}) };
  }
  return {
    format: 'other',
    description: 'of an unknown format',
    machines: [],
    advice: 'a plugin is a shared library: ELF on Linux, Mach-O on macOS',
  };
}

/** Why a file cannot be loaded. */
export interface Misfit {
  /** As the end of `the file is …`. */
  what: string;
  /** Whether this says what the file is, and so all that its description says. */
  describes: boolean;
  advice?: string;
}

/** The misfit and the advice as the end of `the file is …`. */
export const misfitText = ({ what, advice }: Misfit): string => (advice === undefined ? what : `${what}; ${advice}`);

/** What a host loads, in the words of descriptions. */
function nativeText({ platform, arch }: Host, machine: string): string {
  if (platform === 'darwin') return machText('a dynamic library', bitsOf(arch), machine);
  if (platform === 'win32') return peText('a DLL', machine);
  return elfText('a shared library', bitsOf(arch), orderOf(arch), machine);
}

/** Why a file cannot be loaded on a host; undefined where nothing speaks against it. */
export function unloadable(kind: FileKind, host: Host): Misfit | undefined {
  const native = host.platform === 'darwin' ? 'mach-o' : host.platform === 'win32' ? 'pe' : 'elf';
  const { format, description, advice, machines, bits, byteOrder } = kind;
  if (advice !== undefined) return { what: description, describes: true, advice };
  if (format === 'text' || format === 'empty') return { what: description, describes: true };
  const own = machineOfArch(host.arch);
  const fits =
    format === native &&
    (own === undefined ||
      (machines.includes(own) &&
        (bits === undefined || bits === bitsOf(host.arch)) &&
        (format !== 'elf' || byteOrder === orderOf(host.arch))));
  if (fits) return undefined;
  const needed = nativeText(host, own ?? host.arch);
  return { what: description, describes: true, advice: `this machine needs ${needed}` };
}

const bitsOf = (arch: string): 32 | 64 => (arch === 'ia32' || arch === 'arm' ? 32 : 64);
const orderOf = (arch: string): 'little' | 'big' => (arch === 's390x' ? 'big' : 'little');

const ELF_TYPES: Readonly<Record<number, [description: string, advice?: string]>> = {
  1: ['an object file', 'it must be linked as a shared library'],
  2: ['a program, not a shared library', 'link it with -shared'],
  3: ['a shared library'],
  4: ['a core dump', 'give the library of the plugin itself'],
};

function elfKind(head: DataView): FileKind {
  if (head.byteLength < 20) {
    return {
      format: 'elf',
      description: 'cut off: an ELF header has 52 bytes or more',
      machines: [],
      advice: 'build or download the library again',
    };
  }
  const bits = head.getUint8(4) === 1 ? 32 : 64;
  const byteOrder = head.getUint8(5) === 2 ? 'big' : 'little';
  const type = head.getUint16(16, byteOrder === 'little');
  const machine = machineName('elf', head.getUint16(18, byteOrder === 'little'));
  const [what, advice] = ELF_TYPES[type] ?? [`of ELF type ${type}`, 'only shared libraries can be loaded'];
  return {
    format: 'elf',
    description: elfText(what, bits, byteOrder, machine),
    machines: [machine],
    bits,
    byteOrder,
    ...(advice ? { advice } : {}),
  };
}

const elfText = (what: string, bits: FileKind['bits'], byteOrder: FileKind['byteOrder'], machine: string): string =>
  `${what} (ELF, ${bits}-bit, ${byteOrder}-endian) for ${machine}`;

/** A position-independent program has the type of a library; what distinguishes them is not in its first bytes. */
export const asProgram = (kind: FileKind): FileKind => ({
  ...kind,
  description: elfText('a position-independent executable', kind.bits, kind.byteOrder, kind.machines.join()),
});

const PE_DLL = 0x2000;

function peKind(head: DataView): FileKind {
  const at = head.byteLength >= 64 ? head.getUint32(60, true) : head.byteLength;
  if (at + 24 > head.byteLength || head.getUint32(at, false) !== 0x50450000) {
    return { format: 'pe', description: 'a DOS program, or a Windows one that is cut off (MZ)', machines: [] };
  }
  const machine = machineName('pe', head.getUint16(at + 4, true));
  const what = head.getUint16(at + 22, true) & PE_DLL ? 'a DLL' : 'a program';
  return { format: 'pe', description: peText(what, machine), machines: [machine] };
}

const peText = (what: string, machine: string): string => `${what} for Windows (PE) for ${machine}`;

const MACH_TYPES: Readonly<Record<number, string>> = {
  1: 'an object file',
  2: 'a program',
  6: 'a dynamic library',
  8: 'a bundle',
};

function machKind(head: DataView, source: ByteSource): FileKind | undefined {
  if (head.byteLength < 8) return undefined;
  const magic = head.getUint32(0, false);
  if (magic === 0xcafebabe || magic === 0xcafebabf) return fatKind(source);
  const little = magic === 0xcefaedfe || magic === 0xcffaedfe;
  if (!little && magic !== 0xfeedface && magic !== 0xfeedfacf) return undefined;
  const bits = (magic & 0xff) === 0xcf || magic === 0xcffaedfe ? 64 : 32;
  const machine = machineName('machO', head.getUint32(4, little));
  const what = (head.byteLength >= 16 && MACH_TYPES[head.getUint32(12, little)]) || 'a file';
  return {
    format: 'mach-o',
    description: machText(what, bits, machine),
    machines: [machine],
    bits,
    byteOrder: little ? 'little' : 'big',
  };
}

const machText = (what: string, bits: 32 | 64, machine: string): string =>
  `${what} for macOS (Mach-O, ${bits}-bit) for ${machine}`;

function fatKind(source: ByteSource): FileKind | undefined {
  const what = 'a universal file for macOS (Mach-O)';
  const images = unlessTorn(
    () => fatImages(source),
    () => null,
  );
  if (images === null) return { format: 'mach-o', description: `${what} that is cut off`, machines: [] };
  if (images === undefined) return undefined;
  const machines = images.map(({ machine }) => machine);
  return { format: 'mach-o', description: `${what} for ${machines.join(', ')}`, machines };
}

const isUtf8 = (head: DataView<ArrayBuffer>): boolean => {
  try {
    // The last character may be truncated.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
};
