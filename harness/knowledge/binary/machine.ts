/** A processor architecture and its numbers in different file formats. */
interface Machine {
  name: string;
  /** Node's name, if Node runs on it. */
  arch?: string;
  elf?: number;
  /** Mach-O `cputype`, with the bit for 64-bit architectures. */
  machO?: number;
  /** Machine field of the COFF header in a PE file. */
  pe?: number;
}

const MACHINES: readonly Machine[] = [
  { name: 'x86', arch: 'ia32', elf: 3, machO: 7, pe: 0x14c },
  { name: 'x86-64', arch: 'x64', elf: 62, machO: 0x01000007, pe: 0x8664 },
  { name: '32-bit Arm', arch: 'arm', elf: 40, machO: 12, pe: 0x1c4 },
  { name: 'AArch64', arch: 'arm64', elf: 183, machO: 0x0100000c, pe: 0xaa64 },
  { name: 'MIPS', elf: 8 },
  { name: 'PowerPC', elf: 20, machO: 18 },
  { name: '64-bit PowerPC', arch: 'ppc64', elf: 21, machO: 0x01000012 },
  { name: 'IBM Z', arch: 's390x', elf: 22 },
  { name: 'SPARC', elf: 43 },
  { name: 'RISC-V', arch: 'riscv64', elf: 243, pe: 0x5064 },
  { name: 'LoongArch', arch: 'loong64', elf: 258, pe: 0x6264 },
];

/** Name of an architecture by its number in a format; unknown numbers are shown as such. */
export const machineName = (format: 'elf' | 'machO' | 'pe', number: number): string =>
  MACHINES.find((m) => m[format] === number)?.name ?? `machine ${number}`;

/** Name of the architecture that Node calls `arch`; undefined if there is nothing to compare files with. */
export const machineOfArch = (arch: string): string | undefined => MACHINES.find((m) => m.arch === arch)?.name;
