import type { ExportedSymbol } from './elf-symbols.ts';

/** Symbols that other plugins and frameworks also contain, and what goes wrong if two copies are mixed up. */
export interface SharedSymbols {
  what: string;
  risk: string;
  names: string[];
}

const GROUPS: readonly [what: string, pattern: RegExp, risk: string][] = [
  [
    'Abseil',
    /^_Z\w{0,4}?4absl/,
    'two versions of its flags, logging or hash seeds in one process abort or corrupt each other',
  ],
  [
    'protobuf',
    /^_Z\w{0,4}?6google8protobuf/,
    'two copies register the same descriptors: the second one aborts the process',
  ],
  [
    'LLVM',
    /^_Z\w{0,4}?4llvm|^LLVM[A-Z]/,
    'two versions register the same command-line options, which aborts, or call into one another',
  ],
  ['MLIR', /^_Z\w{0,4}?4mlir|^mlir[A-Z]/, 'types and dialects of two versions are mixed up'],
  [
    'XLA',
    /^_Z\w{0,4}?(?:3xla|3tsl|10tensorflow|9stablehlo)/,
    'the framework in the process has its own copy, of another version',
  ],
  ['gRPC', /^_Z\w{0,4}?4grpc|^grpc_/, 'two copies share global state of different layouts'],
  [
    'the allocator',
    /^_Z(?:nw|na|dl|da)\w*$|^(?:malloc|free|calloc|realloc|posix_memalign|aligned_alloc|memalign)$/,
    'memory of one allocator is freed by another one',
  ],
];

/** Groups of exported symbols that should be hidden, names sorted; empty groups are left out. */
export const sharedSymbols = (symbols: readonly ExportedSymbol[]): SharedSymbols[] =>
  GROUPS.map(([what, pattern, risk]) => ({ what, risk, names: namesOf(symbols, (s) => pattern.test(s.name)) })).filter(
    ({ names }) => names.length > 0,
  );

/** Symbols that are unique in the whole process even with RTLD_LOCAL, sorted. */
export const uniqueSymbols = (symbols: readonly ExportedSymbol[]): string[] =>
  namesOf(symbols, (s) => s.binding === 'unique');

const namesOf = (symbols: readonly ExportedSymbol[], fits: (symbol: ExportedSymbol) => boolean): string[] =>
  symbols
    .filter(fits)
    .map((s) => s.name)
    .sort();
